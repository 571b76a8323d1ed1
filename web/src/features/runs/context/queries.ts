import { queryOptions } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import { runKeys } from "../queries";

/** What fills the context of a conversation's next message; `text` asks for the words too. */
export const contextQuery = (
  conversation: string,
  { agent, model, text }: { agent?: string | undefined; model?: string | undefined; text?: boolean },
) =>
  queryOptions({
    queryKey: [...runKeys.context(conversation), agent ?? "", model ?? "", !!text],
    queryFn: ({ signal }) =>
      call(
        client.GET("/api/v1/conversations/{conversation}/context", {
          params: {
            path: { conversation },
            query: { ...(agent ? { agent } : {}), ...(model ? { model } : {}), ...(text ? { text } : {}) },
          },
          signal,
        }),
      ),
    staleTime: 30_000,
  });
