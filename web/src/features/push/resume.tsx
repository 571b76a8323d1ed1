import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { resume } from "./device";
import { pushKeys, subscriptionsQuery } from "./queries";

/** Looks once whether this browser is still told what its owner wanted to be told here. It shows nothing. */
export default function Resume({ user }: { user: string }) {
  const cache = useQueryClient();
  useEffect(() => {
    const known = async () => (await cache.fetchQuery(subscriptionsQuery)).data.some((one) => one.current);
    resume(user, known)
      .then(() => cache.invalidateQueries({ queryKey: pushKeys.subscriptions() }))
      .catch(() => undefined); // Settings shows that it is off.
  }, [cache, user]);
  return null;
}
