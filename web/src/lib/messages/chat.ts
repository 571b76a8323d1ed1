import { plural } from "@/lib/format";

/** Chat: the list, the thread, the composer, the details drawer. */
export const chat = {
  title: "Chat",
  greeting: (name: string, hour: number) =>
    `${hour < 5 ? "Good night" : hour < 12 ? "Good morning" : hour < 18 ? "Good afternoon" : "Good evening"}, ${name}`,
  greetingBody: "What should we do first?",
  anyone: "Auto",
  viewerEmpty: "No chat is open",
  viewerEmptyBody: "Your role can read chats that others share with the workspace. Open one from the list.",
  demo: "Demo model. Replies are scripted and come from this machine.",
  connect: "Connect a model",
  starters: [
    { title: "Say hello", body: "See how an answer arrives", text: "Hello" },
    { title: "What can you do?", body: "The list of what the demo model understands", text: "help" },
    { title: "Show me a table", body: "Answers are formatted", text: "Show me a table" },
    {
      title: "Write something long",
      body: "Watch it stream, stop it at any time",
      text: "Write a long story",
    },
  ],
  composer: {
    label: "Message",
    placeholder: (agent: string) => `Message ${agent}…`,
    running: "Steer the run, or queue the next message…",
    withFiles: "Say what to do with the files…",
    auto: "Auto, whoever fits",
    send: "Send",
    stop: "Stop",
    agent: "Agent",
    readOnly: "Your role can read this chat. Ask an admin for the operator role to write.",
  },
  thread: {
    label: "Messages",
    empty: "No messages yet",
    emptyBody: "Write the first one below.",
    earlier: "Load earlier messages",
    answered: (agent: string, paragraphs: number) =>
      `${agent} answered, ${plural(paragraphs, "paragraph", "paragraphs")}`,
    writing: (agent: string) => `${agent} is writing`,
    you: "You",
    copy: "Copy message",
    retry: "Try again",
    details: "Show run details",
    stopped: (n: number) => `Stopped after ${plural(n, "word", "words")}`,
    stoppedEmpty: "Stopped before the first word",
    failed: "The answer failed",
    failedUnknown: "No reason was recorded.",
    jump: "Newest message",
    thinking: "Thinking",
    waiting: "Waiting for you",
  },
  drawer: "Run details",
};
