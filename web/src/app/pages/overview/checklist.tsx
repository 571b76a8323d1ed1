import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import type { ReactNode } from "react";
import { conversationsQuery } from "@/features/conversations/queries";
import { keysQuery, usersQuery } from "@/features/identity/queries";
import { subscriptionsQuery } from "@/features/push/queries";
import { backupsQuery } from "@/features/system/queries";
import { overview } from "@/lib/messages/overview";
import { IconButton } from "@/ui/button";
import { Section } from "@/ui/page";
import { useInstall } from "../../install";
import { useCan, useMe } from "../../session";
import { useShell } from "../../store";

/** What is left to do after the first start. It goes away by itself, or when hidden. */
export function Checklist() {
  const { checklist, set } = useShell();
  const items = useChecklist();
  const words = overview.setup;
  const done = items.filter((item) => item.done).length;
  if (!checklist || done === items.length) return null;
  return (
    <Section
      title={words.title}
      note={words.progress(done, items.length)}
      flush
      actions={
        <IconButton label={words.hide} onClick={() => set({ checklist: false })}>
          <X aria-hidden="true" />
        </IconButton>
      }
    >
      <ul>
        {items.map((item) => (
          <li key={item.title} className="border-b border-line last:border-0">
            <item.Frame>
              <span className={item.done ? "num0 ok" : "num0"}>
                {item.done && <Check aria-hidden="true" />}
              </span>
              <span className="min-w-0 flex-1">
                <span className={item.done ? "block text-fg-3 line-through" : "block font-medium"}>
                  {item.title}
                </span>
                {!item.done && <span className="block text-small text-fg-3">{item.body}</span>}
              </span>
            </item.Frame>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Step = {
  title: string;
  body: string;
  done: boolean;
  Frame: (props: { children: ReactNode }) => ReactNode;
};

const row = "flex items-center gap-3 px-4 py-2.5";
const Still = ({ children }: { children: ReactNode }) => <div className={row}>{children}</div>;
const toSettings = (page: string) =>
  function Frame({ children }: { children: ReactNode }) {
    return (
      <Link to="/settings/$page" params={{ page }} className={`${row} hover:bg-hover`}>
        {children}
      </Link>
    );
  };
const frames = {
  account: toSettings("account"),
  keys: toSettings("keys"),
  users: toSettings("users"),
  backup: toSettings("backup"),
  look: toSettings("appearance"),
  notifications: toSettings("notifications"),
};

function ToChat({ children }: { children: ReactNode }) {
  return (
    <Link to="/chat" className={`${row} hover:bg-hover`}>
      {children}
    </Link>
  );
}

function useChecklist(): Step[] {
  const me = useMe();
  const can = useCan();
  const install = useInstall();
  const chats = useInfiniteQuery(conversationsQuery());
  const keys = useQuery({ ...keysQuery, enabled: can("keys:write") });
  const users = useQuery({ ...usersQuery, enabled: can("users:write") });
  const backups = useQuery({ ...backupsQuery, enabled: can("system:write") });
  const devices = useQuery({ ...subscriptionsQuery, enabled: can("guard:approve") });
  const words = overview.setup.items;
  const list: (Step & { shown: boolean })[] = [
    { ...words.account, done: true, Frame: Still, shown: true },
    {
      ...words.chat,
      done: !!chats.data?.pages.some((page) => page.data.length > 0),
      Frame: ToChat,
      shown: can("conversations:write"),
    },
    { ...words.totp, done: me.user.totp, Frame: frames.account, shown: me.has_password !== false },
    { ...words.key, done: !!keys.data?.data.length, Frame: frames.keys, shown: can("keys:write") },
    {
      ...words.user,
      done: (users.data?.data.length ?? 0) > 1,
      Frame: frames.users,
      shown: can("users:write"),
    },
    { ...words.backup, done: !!backups.data?.data.length, Frame: frames.backup, shown: can("system:write") },
    {
      ...words.notifications,
      done: !!devices.data?.data.length,
      Frame: frames.notifications,
      shown: can("guard:approve") && install.state !== "insecure",
    },
    {
      ...words.install,
      done: install.state === "installed",
      Frame: frames.look,
      shown: install.state !== "insecure",
    },
  ];
  return list.filter((item) => item.shown);
}
