export type TransportKind = "socket" | "stream";

/** What carries frames: a WebSocket, or an event stream where sockets are blocked. */
export interface Transport {
  onOpen: () => void;
  onText: (text: string) => void;
  onClose: () => void;
  send(text: string): void;
  close(): void;
}

function silent(): void {}

/** A WebSocket with the small surface the connection needs. */
export function openSocket(url: string): Transport {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  const transport: Transport = {
    onOpen: silent,
    onText: silent,
    onClose: silent,
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => {
      transport.onClose = silent;
      socket.close();
    },
  };
  socket.onopen = () => transport.onOpen();
  socket.onmessage = (message) => transport.onText(String(message.data));
  socket.onclose = () => transport.onClose();
  return transport;
}

/**
 * Server-sent events read with fetch, because EventSource only hands out kinds it was told about and we
 * want every kind. Control frames travel as events too; sending is not possible and not needed.
 */
export function openStream(url: string): Transport {
  const stop = new AbortController();
  const transport: Transport = {
    onOpen: silent,
    onText: silent,
    onClose: silent,
    send: silent,
    close: () => {
      transport.onClose = silent;
      stop.abort();
    },
  };
  void readStream(url, stop.signal, transport).finally(() => transport.onClose());
  return transport;
}

async function readStream(url: string, signal: AbortSignal, transport: Transport): Promise<void> {
  try {
    const answer = await fetch(url, {
      signal,
      headers: { Accept: "text/event-stream" },
      credentials: "same-origin",
    });
    if (!answer.ok || !answer.body) return;
    transport.onOpen();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest = dataFrames(rest + value, transport.onText);
    }
  } catch {
    // Aborted or cut off: onClose follows and the connection decides what to do.
  }
}

/** Hands out the data of every complete frame and returns what is left. */
export function dataFrames(text: string, emit: (data: string) => void): string {
  const frames = text.replace(/\r\n/g, "\n").split("\n\n");
  const rest = frames.pop() ?? "";
  for (const frame of frames) {
    const data = frame
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).replace(/^ /, ""));
    if (data.length > 0) emit(data.join("\n"));
  }
  return rest;
}
