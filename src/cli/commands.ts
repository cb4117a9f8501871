// Every command, as data. A new one is one entry here and one file beside it.
import type { CommandEntry } from "./frame/command.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "run the service in the foreground; logs go to standard output",
    words: "",
    options: [],
    load: () => import("./run.ts"),
  },
  {
    name: "status",
    summary: "what the daemon does, waits for and needs",
    words: "",
    options: [],
    load: () => import("./status.ts"),
  },
  {
    name: "sync",
    summary: "read everything new now, do what is due, and end",
    words: "",
    options: [
      { flags: "--backfill <days>", summary: 'also read old sessions: a number of days, or "all"' },
      { flags: "--dry-run", summary: "say what would be read and sent; change nothing" },
    ],
    load: () => import("./sync.ts"),
  },
  {
    name: "list",
    summary: "the memories of this project",
    words: "",
    options: [{ flags: "--all", summary: "of every project" }],
    load: () => import("./list.ts"),
  },
  {
    name: "show",
    summary: "one memory with its text",
    words: "<name>",
    options: [],
    load: () => import("./show.ts"),
  },
  {
    name: "remember",
    summary: "save a fact or a rule for this project",
    words: "<text...>",
    options: [
      { flags: "--type <type>", summary: "user, feedback, project or reference" },
      { flags: "--keep", summary: "save it although its kind is normally not kept" },
    ],
    load: () => import("./remember.ts"),
  },
  {
    name: "forget",
    summary: "remove a memory of this project for good",
    words: "<name>",
    options: [{ flags: "--purge", summary: "also from history and run records" }],
    load: () => import("./forget.ts"),
  },
];
