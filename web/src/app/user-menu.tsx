import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { onDemand } from "@/lib/on-demand";
import { Avatar, Pill } from "@/ui/bits";
import { Menu } from "@/ui/menu";
import { useMe } from "./session";

const words = shell.user;

const UserItems = onDemand(() => import("./user-items"), "default");

export function UserMenu({ rail }: { rail: boolean }) {
  const me = useMe();
  const name = me.user.name || me.user.user;
  return (
    <Menu
      side="top"
      trigger={
        <button
          type="button"
          className="nav !h-[34px] !text-fg"
          aria-label={rail ? words.menu(name) : undefined}
        >
          <Avatar name={name} />
          {!rail && (
            <>
              <span className="trunc flex-1">{name}</span>
              <Pill className="!h-[18px] !text-[10.5px] lowercase">{common.roles[me.role] ?? me.role}</Pill>
            </>
          )}
        </button>
      }
    >
      <UserItems />
    </Menu>
  );
}
