import { plural } from "@/lib/format";

/** What needs a person. */
export const inbox = {
  title: "Inbox",
  tabs: {
    label: "Parts of the inbox",
    needs: "Needs you",
    alerts: "Alerts",
    activity: "Activity",
    done: "Done",
  },
  list: "Things in the inbox",
  kinds: {
    approval: "Approval",
    question: "Question",
    failed: "Failed run",
    budget: "Budget",
  },
  empty: {
    needs: "Nothing needs you",
    needsBody: (n: number) =>
      n === 0 ? "No agent is working." : `${plural(n, "run is", "runs are")} at work.`,
    alerts: "No alerts",
    alertsBody: "Failed runs and budgets that run out are listed here.",
    done: "Nothing was answered yet",
    doneBody: "What you and others answered is kept here.",
    toChat: "Open chat",
  },
  detail: "Details",
  pick: "Choose something on the left.",
  back: "Back to the list",
  asks: (agent: string, what: string) => `${agent} wants to run ${what}`,
  asksTool: (agent: string, tool: string) => `${agent} wants to use ${tool}`,
  anAgent: "An agent",
  questionOf: (agent: string) => `${agent} asks you something`,
  openChat: "Open the chat",
  openTrace: "Open the trace",
  openCosts: "Open budgets",
  markDone: "Done",
  failedTitle: "A run failed",
  failedUnknown: "It gave no reason.",
  budgetWarned: (name: string, percent: number) => `${name} has used ${percent} % of its budget`,
  budgetExceeded: (name: string) => `${name} has used up its budget`,
  budgetAmount: (spent: string, limit: string) => `${spent} of ${limit} are used.`,
  budgetResets: (when: string) => `It starts anew ${when}.`,
  aBudget: "A budget",
  keys: "A approve, D deny, R deny with a reply, E done, J and K move",
};
