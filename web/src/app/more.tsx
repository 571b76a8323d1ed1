import { useNavigate } from "@tanstack/react-router";
import { LogOut, MessagesSquare, Plus, Search } from "lucide-react";
import { shell } from "@/lib/messages/shell";
import { Avatar } from "@/ui/bits";
import { Dialog } from "@/ui/dialog";
import { Segmented } from "@/ui/segmented";
import { useCan, useMe, useSignOut } from "./session";
import { Connection, usePages } from "./sidebar";
import { useShell } from "./store";
import { themes } from "./themes";

/** What has no place in the bar of a phone. */
export default function More({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const can = useCan();
  const { theme, set } = useShell();
  const navigate = useNavigate();
  const leave = useSignOut();
  const others = usePages().filter((page) => !page.tab);
  const then = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Dialog open onClose={onClose} title={shell.more.title}>
      <div className="flex items-center gap-3">
        <Avatar name={me.user.name || me.user.user} large />
        <div className="min-w-0 flex-1">
          <p className="trunc font-medium">{me.user.name || me.user.user}</p>
          <p className="trunc text-small text-fg-3">{me.workspace.name}</p>
        </div>
        <Connection rail={false} />
      </div>
      <div className="flex flex-col">
        {can("conversations:write") && (
          <button type="button" className="nav" onClick={then(() => void navigate({ to: "/chat" }))}>
            <Plus aria-hidden="true" />
            {shell.newChat}
          </button>
        )}
        <button type="button" className="nav" onClick={then(() => void navigate({ to: "/chat/all" }))}>
          <MessagesSquare aria-hidden="true" />
          {shell.allChats}
        </button>
        {others.map(({ to, label, icon: Icon }) => (
          <button key={to} type="button" className="nav" onClick={then(() => void navigate({ to }))}>
            <Icon aria-hidden="true" />
            {label}
          </button>
        ))}
        <button type="button" className="nav" onClick={then(() => set({ palette: "" }))}>
          <Search aria-hidden="true" />
          {shell.search}
        </button>
        <button type="button" className="nav" onClick={then(leave)}>
          <LogOut aria-hidden="true" />
          {shell.user.signOut}
        </button>
      </div>
      <div>
        <Segmented
          label={shell.user.theme}
          value={theme}
          options={themes}
          onChange={(value) => set({ theme: value })}
        />
      </div>
    </Dialog>
  );
}
