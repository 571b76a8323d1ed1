import { useSaveConversation } from "@/features/conversations/queries";
import { common } from "@/lib/messages/common";
import { talk } from "@/lib/messages/talk";
import { toast } from "@/ui/toast";

const words = talk.menu;

/** A dialog of a chat. */
export type Panel = "rename" | "delete" | "share" | "export";

/** Archives or restores a chat, with a way back. */
export function useArchive() {
  const save = useSaveConversation();
  return (id: string, archived: boolean) =>
    save.mutate(
      { id, archived },
      {
        onSuccess: () =>
          toast.done(archived ? words.archived : words.restored, undefined, {
            label: common.actions.undo,
            run: () => save.mutate({ id, archived: !archived }),
          }),
        onError: (error) => toast.failed(error, common.errors.title),
      },
    );
}
