import { type FormEvent, useState } from "react";
import type { Conversation } from "@/api/types";
import { common } from "@/lib/messages/common";
import { talk } from "@/lib/messages/talk";
import { Button } from "@/ui/button";
import { Confirm, Dialog, DialogActions } from "@/ui/dialog";
import { Field, Input } from "@/ui/field";
import { toast } from "@/ui/toast";
import { useDeleteConversation, useSaveConversation } from "./queries";

const words = talk.menu;

export function RenameConversation({ item, onClose }: { item: Conversation; onClose: () => void }) {
  const [title, setTitle] = useState(item.title);
  const save = useSaveConversation();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      { id: item.id, title: title.trim() },
      { onError: (error) => toast.failed(error, common.errors.title) },
    );
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.renameTitle}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={words.renameLabel}>
          {(control) => (
            <Input
              autoFocus
              required
              maxLength={200}
              value={title}
              onFocus={(event) => event.target.select()}
              onChange={(event) => setTitle(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <DialogActions>
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button type="submit" look="solid" disabled={title.trim() === ""}>
            {common.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function DeleteConversation({
  item,
  onClose,
  onDone,
}: {
  item: Conversation;
  onClose: () => void;
  onDone: () => void;
}) {
  const remove = useDeleteConversation();
  return (
    <Confirm
      open
      onClose={onClose}
      title={words.deleteTitle}
      body={words.deleteBody(item.title)}
      action={common.actions.delete}
      onConfirm={async () => {
        await remove.mutateAsync(item.id);
        toast.done(words.deleted);
        onDone();
      }}
    />
  );
}
