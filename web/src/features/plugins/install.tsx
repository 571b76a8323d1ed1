import { type FormEvent, useState } from "react";
import { common } from "@/lib/messages/common";
import { plugins as words } from "@/lib/messages/plugins";
import { Button } from "@/ui/button";
import { Dialog, DialogActions } from "@/ui/dialog";
import { Checkbox, Field, Input } from "@/ui/field";
import { Problem } from "@/ui/states";
import { toast } from "@/ui/toast";
import { useInstall } from "./queries";

/** Installs a folder of the server's machine. */
export function Install({ onClose }: { onClose: () => void }) {
  const [folder, setFolder] = useState("");
  const [link, setLink] = useState(false);
  const install = useInstall();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    install.mutate(
      { folder: folder.trim(), link },
      {
        onSuccess: (plugin) => {
          toast.done(words.installed(plugin.name));
          onClose();
        },
      },
    );
  };
  return (
    <Dialog open onClose={onClose} title={words.installTitle} body={words.installBody}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.folder} help={words.folderHelp}>
          {(control) => (
            <Input
              {...control}
              className="mono"
              required
              autoComplete="off"
              spellCheck={false}
              placeholder={words.folderExample}
              value={folder}
              onChange={(event) => setFolder(event.target.value)}
            />
          )}
        </Field>
        <Checkbox
          label={words.link}
          help={words.linkHelp}
          checked={link}
          onChange={(event) => setLink(event.target.checked)}
        />
        {install.error && <Problem error={install.error} title={common.errors.title} />}
        <DialogActions>
          <Button type="button" onClick={onClose}>
            {common.actions.cancel}
          </Button>
          <Button look="solid" type="submit" busy={install.isPending} disabled={folder.trim() === ""}>
            {words.install}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
