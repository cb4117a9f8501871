// Every command, as data. A new one is one entry here and one file beside it. The files are imported at once because
// each is small and a file more to load costs 4 ms (measured); a command loads what is heavy when it runs.
import { MEMORY_TYPES } from "../domain/memories.ts";
import { run as completeWords } from "./complete-words.ts";
import { run as completion, SHELLS } from "./completion.ts";
import { run as cancel } from "./cancel.ts";
import { CARE_COMMANDS } from "./registry-care.ts";
import { run as diff } from "./diff.ts";
import { run as forget } from "./forget.ts";
import type { CommandEntry } from "./frame/command.ts";
import { run as history } from "./history.ts";
import { run as ignore } from "./ignore.ts";
import { run as lint } from "./lint.ts";
import { run as list } from "./list.ts";
import { run as log } from "./log.ts";
import { run as manPage } from "./man-page.ts";
import { run as news } from "./news.ts";
import { run as pause } from "./pause.ts";
import { SERVICE_COMMANDS } from "./registry-service.ts";
import { run as remember } from "./remember.ts";
import { run as resume } from "./resume.ts";
import { run } from "./run.ts";
import { ACTIONS as REVIEW_ACTIONS, run as review } from "./review.ts";
import { run as search } from "./search.ts";
import { run as show } from "./show.ts";
import { run as status } from "./status.ts";
import { run as watchStatus } from "./status-watch.ts";
import { run as sync } from "./sync.ts";
import { run as undo } from "./undo.ts";
import { run as why } from "./why.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "run the service in the foreground; logs go to standard output",
    words: "",
    options: [
      {
        flags: "--log-file",
        summary: 'log into a file that is kept small instead; read it with "engramd logs"',
      },
    ],
    group: "What it does",
    examples: [["run", "until Ctrl-C"]],
    run,
  },
  {
    name: "status",
    summary: "what the daemon does, waits for and needs",
    words: "",
    options: [
      {
        flags: "--watch",
        summary: "go on showing it, until q or Ctrl-C; with --json one document a line for each change",
      },
    ],
    group: "What it does",
    examples: [
      ["status --watch", "how it goes, as it goes"],
      ["status --json | jq .state", "one word for a status bar"],
    ],
    exits: { 1: "the daemon is degraded", 5: "the daemon is not running" },
    run: (context) => (context.call.options.has("watch") ? watchStatus(context) : status(context)),
  },
  {
    name: "sync",
    summary: "read everything new now, do what is due, and end",
    words: "",
    options: [
      {
        flags: "--backfill <days>",
        summary: 'also read old sessions: a number of days, or "all"',
        value: ["all"],
      },
      { flags: "--background", summary: "let the daemon do it and say what it will read" },
      { flags: "--dry-run", summary: "say what would be read and sent; change nothing" },
    ],
    group: "What it does",
    examples: [
      ["sync", "read what is new, now"],
      ["sync --backfill all --dry-run", "what reading all old sessions would cost"],
    ],
    exits: { 5: "--background, and no daemon runs" },
    run: sync,
  },
  {
    name: "list",
    summary: "the memories of this project",
    words: "",
    options: [{ flags: "--all", summary: "of every project" }],
    group: "Memories",
    examples: [
      ["list", "of the project you are in"],
      ["list --all --json", "everything, for a program"],
    ],
    run: list,
  },
  {
    name: "show",
    summary: "one memory with its text",
    words: "<name>",
    places: ["memory"],
    options: [],
    group: "Memories",
    examples: [["show release-branch", "by its name or its file"]],
    run: show,
  },
  {
    name: "search",
    summary: "the memories of this project that fit some words, best first",
    words: "<words...>",
    options: [{ flags: "--all", summary: "of every project" }],
    group: "Memories",
    examples: [["search release branch", "also in other languages: 发布"]],
    run: search,
  },
  {
    name: "remember",
    summary: "save a fact or a rule for this project",
    words: "<text...>",
    options: [
      { flags: "--type <type>", summary: "user, feedback, project or reference", value: MEMORY_TYPES },
      { flags: "--keep", summary: "save it although its kind is normally not kept" },
    ],
    group: "Memories",
    examples: [
      ["remember Deploy from the release branch", "a fact"],
      ["remember --type feedback Always use tabs", "a rule"],
    ],
    exits: { 1: "the gate refused it, and says why" },
    run: remember,
  },
  {
    name: "log",
    summary: "note something in today's daily log of this project; it is distilled at night",
    words: "<text...>",
    options: [],
    group: "Memories",
    examples: [["log Ana takes over the billing service in June", "one bullet, with the time"]],
    exits: { 1: "it holds a secret, or nothing that can be written" },
    run: log,
  },
  {
    name: "forget",
    summary: "remove a memory of this project for good",
    words: "<name>",
    places: ["memory"],
    options: [
      { flags: "--purge", summary: "also from history, evidence, runs and log; nothing of it can be undone" },
    ],
    group: "Memories",
    examples: [
      ["forget release-branch", "the same words do not bring it back"],
      ["forget release-branch --purge", "no word of it is kept; also of one forgotten before"],
    ],
    run: forget,
  },
  {
    name: "why",
    summary: "what became of each message of a session, or which words taught a memory",
    words: "<session-or-name>",
    options: [],
    places: ["memory"],
    group: "Memories",
    examples: [
      ["why release-branch", "which words taught it"],
      ["why 3f1c9d2e-5b60-4c1e-9a51-0d9b8f7a6c55", "what became of a session"],
    ],
    run: why,
  },
  {
    name: "news",
    summary: "what was learned, changed and removed since you last looked",
    words: "",
    options: [],
    group: "Memories",
    examples: [["news", "each with the command that undoes it"]],
    run: news,
  },
  {
    name: "ignore",
    summary: "take back what a session taught, and never learn from it again",
    words: "<session>",
    options: [],
    places: ["file"],
    group: "Memories",
    examples: [["ignore 3f1c9d2e-5b60-4c1e-9a51-0d9b8f7a6c55", "by its id or its transcript"]],
    run: ignore,
  },
  {
    name: "review",
    summary: "what waits for your yes, or was refused: look at it, accept or reject it",
    words: "[what] [ids...]",
    places: [REVIEW_ACTIONS, "item"],
    options: [
      { flags: "--all", summary: "accept or reject everything of this project; asks first" },
      { flags: "--yes", summary: "you agree to --all" },
    ],
    group: "Memories",
    examples: [
      ["review", "what waits, of every project"],
      ["review show 3f1c9d2e", "what it would change, and the words it rests on"],
      ["review accept 3f1c9d2e", "one run, which engramd undo takes back"],
      ["review reject --all", "never again from the same words"],
    ],
    exits: { 1: "something could not be accepted, or nobody said yes to --all" },
    run: review,
  },
  {
    name: "lint",
    summary: "what is wrong in the memory folder of this project, without a model",
    words: "",
    options: [
      { flags: "--fix", summary: "mend what needs no judgement: exact duplicates and the index" },
      { flags: "--all", summary: "of every project" },
    ],
    group: "Memories",
    examples: [
      ["lint", "duplicates, dead lines and links, dates that move, files that are gone"],
      ["lint --fix", "no memory that stays is changed; engramd undo puts it back"],
    ],
    exits: { 1: "--fix, and a folder could not be written" },
    run: lint,
  },
  {
    name: "history",
    summary: "every run with its trigger, cost and files; with a name, those that touched one memory",
    words: "[name]",
    options: [],
    places: ["memory"],
    group: "Memories",
    examples: [
      ["history", "of every project, newest first"],
      ["history release-branch", "what was done to one memory"],
    ],
    run: history,
  },
  {
    name: "diff",
    summary: "what a run changed, line by line",
    words: "<run>",
    options: [],
    places: ["past-run"],
    group: "Memories",
    examples: [["diff 20260504T090000000-3f1c9d2e", "an id as engramd history shows it"]],
    run: diff,
  },
  {
    name: "undo",
    summary: "put back everything a run did; what it takes away does not come back by itself",
    words: "[run]",
    options: [
      { flags: "--all", summary: "every run of this project; asks first" },
      { flags: "--force", summary: "also where a later edit is lost by it" },
      { flags: "--dry-run", summary: "say what would be put back; change nothing" },
      { flags: "--yes", summary: "you agree to undo everything" },
    ],
    places: ["past-run"],
    group: "Memories",
    examples: [
      ["undo 20260504T090000000-3f1c9d2e", "an undo can be undone as well"],
      ["undo --all --dry-run", "what undoing everything would change"],
    ],
    exits: { 1: "no such run, or nobody said yes to --all" },
    run: undo,
  },
  {
    name: "cancel",
    summary: "end a run; engramd status shows the ids of running ones",
    words: "<run>",
    options: [],
    places: ["run"],
    group: "What it does",
    run: cancel,
  },
  {
    name: "pause",
    summary: "stop observing; answers go on",
    words: "",
    options: [
      { flags: "--for <time>", summary: "30m, 2h, 1d (default: until resume)", value: ["30m", "2h", "1d"] },
    ],
    group: "What it does",
    examples: [["pause --for 2h", "goes on by itself"]],
    run: pause,
  },
  {
    name: "resume",
    summary: "observe again",
    words: "",
    options: [],
    group: "What it does",
    run: resume,
  },
  ...CARE_COMMANDS,
  ...SERVICE_COMMANDS,
  {
    name: "completion",
    summary: "a script that lets your shell complete engramd's commands, words and memory names",
    words: "<shell>",
    places: [SHELLS],
    options: [],
    group: "Settings and service",
    examples: [
      ["completion bash", "in ~/.bashrc: source <(engramd completion bash)"],
      ["completion fish | source", "in config.fish"],
    ],
    run: (context) => completion(context, COMMANDS),
  },
  {
    name: "complete-words",
    summary: "words for the completion of a shell",
    words: "[kind]",
    options: [],
    hidden: true,
    run: completeWords,
  },
  {
    name: "man-page",
    summary: "the manual page, as man reads it",
    words: "",
    options: [],
    hidden: true,
    run: () => manPage(COMMANDS),
  },
];
