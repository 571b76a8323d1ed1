import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { common } from "@/lib/messages/common";
import { Button, IconButton } from "./button";
import { DialogActions } from "./dialog";
import { Problem } from "./states";

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  body?: string;
  wide?: boolean;
  /** Closing by Esc or outside is not offered, for what is shown only once. */
  sticky?: boolean;
  children?: ReactNode;
};

/** Gives the focus back to where it was before, unless something has taken it meanwhile. */
function useFocusBack(): (event: Event) => void {
  const [from] = useState(() => {
    const at = document.activeElement;
    const menu = at?.closest("[role=menu]")?.getAttribute("aria-labelledby");
    return menu ? document.getElementById(menu) : at;
  });
  return (event) => {
    event.preventDefault();
    if (document.activeElement !== document.body) return;
    const back = from?.isConnected && from !== document.body ? from : document.getElementById("main");
    if (back instanceof HTMLElement) back.focus();
  };
}

/** A dialog on a desk, a sheet from below on a phone. */
export function Dialog({ open, onClose, title, body, wide, sticky, children }: Props) {
  const focusBack = useFocusBack();
  const hold = sticky ? (event: Event) => event.preventDefault() : undefined;
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay anim-fade" />
        <Radix.Content
          className={clsx("dialog anim-fade", wide && "wide")}
          {...(body ? {} : { "aria-describedby": undefined })}
          onEscapeKeyDown={hold}
          onInteractOutside={hold}
          onCloseAutoFocus={focusBack}
        >
          <header className="flex items-start gap-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-title font-semibold">{title}</Radix.Title>
              {body && <Radix.Description className="mt-1 text-fg-2">{body}</Radix.Description>}
            </div>
            {!sticky && (
              <IconButton label={common.actions.close} onClick={onClose}>
                <X aria-hidden="true" />
              </IconButton>
            )}
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Asks before something that cannot be undone; with `typed` the name has to be written out. */
export function Confirm({
  open,
  onClose,
  title,
  body,
  action,
  onConfirm,
  children,
  ready = true,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  body: string;
  action: string;
  ready?: boolean;
  onConfirm: () => Promise<unknown>;
  children?: ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      close();
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={close} title={title} body={body}>
      {children}
      {error !== undefined && <Problem error={error} title={common.errors.title} />}
      <DialogActions>
        <Button onClick={close}>{common.actions.cancel}</Button>
        <Button look="bad" busy={busy} disabled={!ready} onClick={() => void confirm()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** A panel over the page with its own looks, such as the palette. The label is read, not shown. */
export function Floating({
  label,
  className,
  onClose,
  onKeyDown,
  children,
}: {
  label: string;
  className: string;
  onClose: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ReactNode;
}) {
  const focusBack = useFocusBack();
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay anim-fade" />
        <Radix.Content
          className={clsx(className, "anim-fade")}
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onCloseAutoFocus={focusBack}
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
