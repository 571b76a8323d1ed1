import {
  type ComponentProps,
  cloneElement,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from "react";
import { arrive, onDemand } from "@/lib/on-demand";

const parts = () => arrive(() => import("./menu-parts"));
const OpenMenu = onDemand(parts, "OpenMenu");

export const MenuItem = onDemand(parts, "MenuItem");
export const MenuChoices = onDemand(parts, "MenuChoices");
export const MenuLabel = onDemand(parts, "MenuLabel");
export const MenuSeparator = onDemand(parts, "MenuSeparator");

type Props = {
  trigger: ReactElement<ComponentProps<"button">>;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom" | "right";
};

/** A menu that opens from its trigger. The code of menus is loaded when one is about to open. */
export function Menu({ trigger, ...rest }: Props) {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: () => setWanted(true),
    onPointerEnter: () => void parts(),
    onFocus: () => void parts(),
  });
  if (!wanted) return closed;
  return (
    <Suspense fallback={closed}>
      <OpenMenu trigger={trigger} {...rest} />
    </Suspense>
  );
}
