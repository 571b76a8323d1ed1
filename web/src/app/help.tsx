import { keyboard } from "@/lib/messages/palette";
import { Kbd } from "@/ui/bits";
import { Dialog } from "@/ui/dialog";
import { keyText } from "./keys";
import { useShell } from "./store";

const words = keyboard.help;

type Row = { keys: string[]; text: string };

/** The keyboard map as people read it. */
export function shortcutGroups(): { title: string; rows: Row[] }[] {
  const go = (text: string) => text.split(" ");
  return [
    {
      title: words.groups.anywhere,
      rows: [
        { keys: [keyText("palette")], text: words.keys.palette },
        { keys: [keyText("composer")], text: words.keys.composer },
        { keys: [keyText("stop")], text: words.keys.stop },
        { keys: [keyText("new-chat")], text: words.keys.newChat },
        { keys: [keyText("sidebar")], text: words.keys.sidebar },
        { keys: [keyText("drawer")], text: words.keys.drawer },
        { keys: [keyText("help")], text: words.keys.help },
        { keys: ["Esc"], text: words.keys.escape },
      ],
    },
    {
      title: words.groups.goTo,
      rows: [
        { keys: go(keyText("go-overview")), text: words.keys.goOverview },
        { keys: go(keyText("go-inbox")), text: words.keys.goInbox },
        { keys: go(keyText("go-chat")), text: words.keys.goChat },
        { keys: go(keyText("go-settings")), text: words.keys.goSettings },
      ],
    },
    {
      title: words.groups.chat,
      rows: [
        { keys: ["Enter"], text: words.keys.send },
        { keys: ["⇧ Enter"], text: words.keys.newline },
      ],
    },
    {
      title: words.groups.lists,
      rows: [
        { keys: ["J", "K"], text: words.keys.listMove },
        { keys: ["Enter"], text: words.keys.listOpen },
        { keys: ["E"], text: words.keys.listDone },
      ],
    },
    {
      title: words.groups.approvals,
      rows: [
        { keys: ["A", "Enter"], text: words.keys.approve },
        { keys: ["D"], text: words.keys.deny },
        { keys: ["R"], text: words.keys.denyReply },
      ],
    },
  ];
}

export function ShortcutList() {
  return (
    <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      {shortcutGroups().map((group) => (
        <section key={group.title}>
          <h3 className="mb-1 text-small text-fg-3">{group.title}</h3>
          <dl>
            {group.rows.map((row) => (
              <div key={row.text} className="flex items-center justify-between gap-4 py-1">
                <dt>{row.text}</dt>
                <dd className="flex gap-1">
                  {row.keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

export default function Help({ onClose }: { onClose: () => void }) {
  const on = useShell((state) => state.shortcuts);
  return (
    <Dialog open wide onClose={onClose} title={words.title} {...(on ? {} : { body: words.off })}>
      <ShortcutList />
    </Dialog>
  );
}
