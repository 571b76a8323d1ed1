import { useNavigate } from "@tanstack/react-router";
import {
  Archive,
  ArchiveRestore,
  ChevronDown,
  CircleDollarSign,
  Download,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Trash2,
  Users,
} from "lucide-react";
import type { Conversation } from "@/api/types";
import { DeleteConversation, RenameConversation } from "@/features/conversations/dialogs";
import { ExportChat, ShareChat } from "@/features/conversations/notes/share";
import { useSaveConversation } from "@/features/conversations/queries";
import { SpendLine } from "@/features/costs/spend-chip";
import { common } from "@/lib/messages/common";
import { talk } from "@/lib/messages/talk";
import { IconButton } from "@/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/ui/menu";
import { toast } from "@/ui/toast";
import { usePhone } from "../../media";
import { useCan } from "../../session";
import { type Panel, useArchive } from "./archive";

const words = talk.menu;

type Props = { item: Conversation; panel: Panel | undefined; onPanel: (panel: Panel | undefined) => void };

/** What can be done with a chat, and the dialog that is open. */
export default function ChatMenu({ item, panel, onPanel }: Props) {
  const save = useSaveConversation();
  const archive = useArchive();
  const navigate = useNavigate();
  const phone = usePhone();
  const can = useCan();
  const close = () => onPanel(undefined);
  const pin = () =>
    save.mutate(
      { id: item.id, pinned: !item.pinned },
      { onError: (error) => toast.failed(error, common.errors.title) },
    );
  return (
    <>
      <Menu
        trigger={
          <IconButton label={words.label} className="-ml-1.5">
            <ChevronDown aria-hidden="true" />
          </IconButton>
        }
      >
        {phone && can("costs:read") && (
          <MenuItem
            icon={<CircleDollarSign aria-hidden="true" />}
            onSelect={() => void navigate({ to: "/costs/records", search: { conversation: item.id } })}
          >
            <SpendLine conversation={item.id} />
          </MenuItem>
        )}
        <MenuItem icon={<Pencil aria-hidden="true" />} onSelect={() => onPanel("rename")}>
          {words.rename}
        </MenuItem>
        <MenuItem
          icon={item.pinned ? <PinOff aria-hidden="true" /> : <Pin aria-hidden="true" />}
          onSelect={pin}
        >
          {item.pinned ? talk.search.unpin : talk.search.pin}
        </MenuItem>
        <MenuItem icon={<Share2 aria-hidden="true" />} onSelect={() => onPanel("share")}>
          {words.share}
        </MenuItem>
        <MenuItem icon={<Download aria-hidden="true" />} onSelect={() => onPanel("export")}>
          {words.export}
        </MenuItem>
        <MenuItem
          icon={item.archived ? <ArchiveRestore aria-hidden="true" /> : <Archive aria-hidden="true" />}
          onSelect={() => archive(item.id, !item.archived)}
        >
          {item.archived ? words.restore : words.archive}
        </MenuItem>
        <MenuSeparator />
        <MenuItem bad icon={<Trash2 aria-hidden="true" />} onSelect={() => onPanel("delete")}>
          {words.delete}
        </MenuItem>
      </Menu>
      {panel === "rename" && <RenameConversation item={item} onClose={close} />}
      {panel === "share" && <ShareChat item={item} onClose={close} />}
      {panel === "export" && <ExportChat item={item} onClose={close} />}
      {panel === "delete" && (
        <DeleteConversation item={item} onClose={close} onDone={() => void navigate({ to: "/chat" })} />
      )}
    </>
  );
}

/** Opens the dialog of sharing, and says whether the chat is shared. On a phone, where the menu has it too, only that. */
export function ShareButton({ item, onPanel }: Pick<Props, "item" | "onPanel">) {
  const shared = item.visibility === "workspace";
  return (
    <IconButton
      label={shared ? talk.share.pill : words.share}
      className={shared ? "" : "max-sm:hidden"}
      onClick={() => onPanel("share")}
    >
      {shared ? <Users className="text-accent" aria-hidden="true" /> : <Share2 aria-hidden="true" />}
    </IconButton>
  );
}
