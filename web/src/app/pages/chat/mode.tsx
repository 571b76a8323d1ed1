import { ModeChip } from "@/features/guard/mode-chip";
import { useCan } from "../../session";
import "@/features/conversations/composer.css";

/** How carefully agents are watched. */
export function Mode() {
  const can = useCan();
  return can("guard:read") ? <ModeChip /> : null;
}
