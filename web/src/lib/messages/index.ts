import { agents } from "./agents";
import { chat } from "./chat";
import { common } from "./common";
import { costs } from "./costs";
import { forms } from "./forms";
import { guard } from "./guard";
import { inbox } from "./inbox";
import { memory } from "./memory";
import { models } from "./models";
import { overview } from "./overview";
import { plugins } from "./plugins";
import { settings } from "./settings";
import { shell } from "./shell";
import { start } from "./start";
import { talk } from "./talk";
import { tools } from "./tools";
import { traces } from "./traces";
import { work } from "./work";

/**
 * The whole catalogue. Pages import only their own part, so that a page does not carry the words of all
 * others; this list is for the checks.
 */
export const catalogue = {
  agents,
  chat,
  common,
  costs,
  forms,
  guard,
  inbox,
  memory,
  models,
  overview,
  plugins,
  settings,
  shell,
  start,
  talk,
  tools,
  traces,
  work,
};
