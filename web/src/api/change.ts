import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

/** A change of something on the server; what was read of these keys is read again, whether it went well or not. */
export function useChange<In, Out>(change: (input: In) => Promise<Out>, ...stale: readonly QueryKey[]) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => Promise.all(stale.map((queryKey) => cache.invalidateQueries({ queryKey }))),
  });
}
