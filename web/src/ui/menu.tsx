import {
  type ComponentProps,
  cloneElement,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from "react";

const parts = () => import("./menu-parts");
const OpenMenu = lazy(() => parts().then((module) => ({ default: module.OpenMenu })));

export const MenuItem = lazy(() => parts().then((module) => ({ default: module.MenuItem })));
export const MenuChoices = lazy(() => parts().then((module) => ({ default: module.MenuChoices })));
export const MenuLabel = lazy(() => parts().then((module) => ({ default: module.MenuLabel })));
export const MenuSeparator = lazy(() => parts().then((module) => ({ default: module.MenuSeparator })));

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
