import { useNavigate } from "@tanstack/react-router";
import { Keyboard, LogOut, Monitor, Moon, Palette, Sun, UserRound } from "lucide-react";
import { common } from "@/lib/messages/common";
import { shell } from "@/lib/messages/shell";
import { Avatar, Pill } from "@/ui/bits";
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/ui/menu";
import { keyText } from "./keys";
import { useMe, useSignOut } from "./session";
import { type Theme, useShell } from "./store";

const words = shell.user;

/** The themes with their icons, for menus and settings. */
export const themes = [
  { value: "dark", label: shell.themes.dark, icon: <Moon aria-hidden="true" /> },
  { value: "light", label: shell.themes.light, icon: <Sun aria-hidden="true" /> },
  { value: "system", label: shell.themes.system, icon: <Monitor aria-hidden="true" /> },
] as const;

export function UserMenu({ rail }: { rail: boolean }) {
  const me = useMe();
  const name = me.user.name || me.user.user;
  const { theme, set } = useShell();
  const navigate = useNavigate();
  const leave = useSignOut();
  const go = (page: string) => void navigate({ to: "/settings/$page", params: { page } });
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
      <MenuItem icon={<UserRound aria-hidden="true" />} onSelect={() => go("account")}>
        {words.account}
      </MenuItem>
      <MenuItem icon={<Palette aria-hidden="true" />} onSelect={() => go("appearance")}>
        {words.appearance}
      </MenuItem>
      <MenuItem
        icon={<Keyboard aria-hidden="true" />}
        keys={keyText("help")}
        onSelect={() => set({ help: true })}
      >
        {words.keyboard}
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>{words.theme}</MenuLabel>
      <MenuChoices value={theme} onChange={(value) => set({ theme: value as Theme })} options={themes} />
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={leave}>
        {words.signOut}
      </MenuItem>
    </Menu>
  );
}
