import type { Me } from "@/api/types";

/** True when the role of this person in this workspace allows the permission. */
export function can(me: Me, permission: string): boolean {
  return me.permissions.includes(permission);
}
