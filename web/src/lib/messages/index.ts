import { chat } from "./chat";
import { common } from "./common";
import { costs } from "./costs";
import { models } from "./models";
import { overview } from "./overview";
import { settings } from "./settings";
import { shell } from "./shell";
import { start } from "./start";

/**
 * The whole catalogue. Pages import only their own part, so that a page does not carry the words of all
 * others; this list is for the checks.
 */
export const catalogue = { chat, common, costs, models, overview, settings, shell, start };
