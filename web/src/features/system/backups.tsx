import { useQuery } from "@tanstack/react-query";
import { DatabaseBackup } from "lucide-react";
import { bytes } from "@/lib/format";
import { common } from "@/lib/messages/common";
import { settings } from "@/lib/messages/settings";
import { Time } from "@/ui/bits";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy";
import { Section } from "@/ui/page";
import { Empty, Problem, View } from "@/ui/states";
import { Table } from "@/ui/table";
import { toast } from "@/ui/toast";
import { backupsQuery, useBackup } from "./queries";

const words = settings.backup;

/** Backups of the whole database; restoring is a thing of the command line, and said so here. */
export function Backups({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(backupsQuery);
  const backup = useBackup();
  const newest = query.data?.data[0];
  const make = mayChange && (
    <Button
      look="solid"
      busy={backup.isPending}
      onClick={() => backup.mutate(undefined, { onSuccess: () => toast.done(words.made) })}
    >
      <DatabaseBackup aria-hidden="true" />
      {backup.isPending ? words.making : words.make}
    </Button>
  );
  return (
    <Section title={settings.pages.backup} flush actions={make}>
      {backup.error && <Problem error={backup.error} title={common.errors.title} />}
      <View
        query={query}
        isEmpty={(page) => page.data.length === 0}
        empty={<Empty icon={<DatabaseBackup />} title={words.empty} body={words.emptyBody} />}
      >
        {(page) => (
          <Table
            label={settings.pages.backup}
            rows={page.data}
            id={(item) => item.id}
            columns={[
              { head: words.file, cell: (item) => <span className="mono break-all">{item.path}</span> },
              {
                head: words.size,
                right: true,
                cell: (item) => <span className="num">{bytes(item.size_bytes)}</span>,
              },
              { head: words.when, cell: (item) => <Time at={item.created_at} className="text-fg-3" /> },
              {
                head: words.copyPath,
                hideHead: true,
                right: true,
                cell: (item) => <CopyButton text={item.path} label={words.copyPath} />,
              },
            ]}
          />
        )}
      </View>
      {newest && (
        <p className="border-t border-line p-4 text-fg-3">
          {words.restore} <code className="mono text-fg-2">{words.restoreCommand(newest.path)}</code>
        </p>
      )}
    </Section>
  );
}
