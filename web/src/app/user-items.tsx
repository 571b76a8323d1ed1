import { useNavigate } from "@tanstack/react-router";
import { Keyboard, LogOut, Palette, UserRound } from "lucide-react";
import { shell } from "@/lib/messages/shell";
import { MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/ui/menu";
import { keyText } from "./keys";
import { useSignOut } from "./session";
import { type Theme, useShell } from "./store";
import { themes } from "./themes";

const words = shell.user;

/** What is in the menu of the person; loaded when it opens. */
export default function UserItems() {
  const { theme, set } = useShell();
  const navigate = useNavigate();
  const leave = useSignOut();
  const go = (page: string) => void navigate({ to: "/settings/$page", params: { page } });
  return (
    <>
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
    </>
  );
}
