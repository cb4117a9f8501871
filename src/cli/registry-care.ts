// The commands that look after what is remembered, as data; `registry.ts` has the whole table.
import { run as distill } from "./distill.ts";
import { run as dream } from "./dream.ts";
import type { CommandEntry } from "./frame/command.ts";

export const CARE_COMMANDS: readonly CommandEntry[] = [
  {
    name: "dream",
    summary: "tidy the memories of this project: merge, correct, drop what no longer holds",
    words: "",
    options: [
      { flags: "--force", summary: "now, however long ago the last one was" },
      { flags: "--dry-run", summary: "show the diff it would make; may ask the model" },
    ],
    group: "Memories",
    examples: [
      ["dream", "if it is due; says what it waits for"],
      ["dream --force --dry-run", "what it would do now"],
    ],
    exits: { 1: "it failed and changed nothing" },
    run: dream,
  },
  {
    name: "distill",
    summary: "turn the daily logs of this project into memories",
    words: "",
    options: [
      { flags: "--date <date>", summary: "one day's log once more: YYYY-MM-DD", value: "text" },
      { flags: "--dry-run", summary: "show the diff it would make; may ask the model" },
    ],
    group: "Memories",
    examples: [["distill", "what no night has distilled yet"]],
    exits: { 1: "it failed and changed nothing" },
    run: distill,
  },
];
