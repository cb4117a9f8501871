// What the walk over the command table is made of: a home full of hostile text, and at least one command line for
// every row. A row nobody wrote a line for is walked as well, with words the table allows.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { CommandEntry } from "../../src/cli/frame/command.ts";
import { placesOf, shown } from "../../src/cli/frame/grammar.ts";
import { COMMANDS } from "../../src/cli/registry.ts";
import { claudeProjectKey, createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { CommandResult } from "../helpers/daemon-process.ts";
import { addSystemd, createFakePrograms } from "../helpers/fake-programs.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";
import { DOCUMENTS } from "../schemas/documents.ts";

/** Sets the title of a terminal, rings, turns the line around, hides text, breaks it. */
export const HOSTILE = "\u001b]0;pwned\u0007\u001b[31m\u202eevil\u2066\u009b2J\u200b\r";
/** Anything a terminal would obey, and what reorders or hides text; line feeds are ours. */
// oxlint-disable-next-line no-control-regex -- naming them is the point
export const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/u;
/** `engramd: <what>: <what to do> (<code>)` */
const ERROR_LINE = /^engramd: .+ \([a-z-]+\)\n$/u;

/** Ends only with a signal, so no walk starts it. */
const ENDLESS = new Set(["run"]);

export const WALKED: readonly CommandEntry[] = shown(COMMANDS).filter(({ name }) => !ENDLESS.has(name));

/** Lines worth walking, in this order; `{session}` and `{memory}` are real ones of the home. */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  status: [[]],
  sync: [["--dry-run"], [], ["--backfill", "all"]],
  remember: [
    ["Always", "use", "tabs", "for", "indentation"],
    [`From now on always say ${HOSTILE} first`],
    [" "],
  ],
  list: [[], ["--all"]],
  show: [["{memory}"], [`nothing ${HOSTILE}`]],
  search: [["tabs"], [HOSTILE]],
  why: [["{memory}"], ["{session}"], [HOSTILE]],
  ignore: [["{session}"], [HOSTILE]],
  cancel: [[HOSTILE]],
  review: [
    [],
    ["list"],
    ["show", HOSTILE],
    ["accept", HOSTILE],
    ["accept", "--all", "--yes"],
    ["reject", "--all"],
    ["x"],
  ],
  lint: [[], ["--all"], ["--fix"]],
  cost: [[], ["--days", "7"]],
  history: [[], ["{memory}"], [`nothing ${HOSTILE}`]],
  diff: [[HOSTILE]],
  undo: [[HOSTILE], [], ["--all", "--dry-run"], ["--all", "--yes"]],
  config: [[], ["check"], ["explain"], ["explain", "budget"], ["explain", HOSTILE]],
  forget: [[`nothing ${HOSTILE}`], ["{memory}"]],
  model: [[], ["use"], ["use", "anthropic"], ["use", "local"], ["use", "offline"], ["use", HOSTILE]],
  install: [[], ["--no-network"]],
  restart: [[]],
  logs: [[], ["-n", "1"]],
  uninstall: [[], ["--remove-memories"]],
  completion: [["bash"], ["zsh"], ["fish"], ["tcsh"]],
};

/** What undoes others comes last; the rest goes by the table. */
const LAST = ["pause", "resume", "ignore", "undo", "forget", "install", "restart", "logs", "uninstall"];

export function commandLines(entry: CommandEntry): string[][] {
  const own = LINES[entry.name];
  if (own !== undefined) return own.map((words) => [entry.name, ...words]);
  const { places } = placesOf(entry);
  const words = places.map((place) => (typeof place === "string" ? "nothing-like-it" : (place[0] ?? "x")));
  const required = entry.words.split(" ").filter((word) => word.startsWith("<")).length;
  const lines = [[entry.name, ...words.slice(0, required)]];
  // Every choice of a first word that has any.
  const [first] = places;
  if (typeof first === "object") lines.push(...first.map((choice) => [entry.name, choice]));
  return lines;
}

export function allCommandLines(): string[][] {
  const rank = ({ name }: CommandEntry) => LAST.indexOf(name);
  // The program's name alone is a question as well.
  return [[], ...WALKED.toSorted((a, b) => rank(a) - rank(b)).flatMap(commandLines)];
}

/** One line for each row: the one everybody types. */
export function firstLines(): string[][] {
  return WALKED.flatMap((entry) => commandLines(entry).slice(0, 1));
}

export interface WalkHome extends ScratchHome {
  /** A working directory that is a project. */
  readonly cwd: string;
  /** The name of a memory that is there. */
  readonly memory: string;
}

export interface WalkOptions {
  /** Name of the home folder; default one of plain letters. */
  readonly name?: string;
  /** Without a Claude Code home there are no transcripts and no memories yet. */
  readonly claude?: boolean;
}

/** A home with a project, sessions and memories that hold hostile text, and fake service managers on PATH. */
export function createWalkHome({ name = "home", claude = true }: WalkOptions = {}): WalkHome {
  const base = createScratchHome();
  const programs = createFakePrograms(base.folder);
  addSystemd(programs, base.folder);
  // A name of its own beside the prepared home, which may hold a `.claude` nobody wants.
  const home = base.folder.folder(`walk/${name}`);
  const cwd = join(home, "shop");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const claudeProjects = join(home, ".claude/projects");
  const walked: WalkHome = {
    ...base,
    home,
    cwd,
    memory: "feedback_tabs",
    claudeProjects,
    stateDir: join(home, ".local/state/engramd"),
    configFile: join(home, ".config/engramd/config.json"),
    env: {
      PATH: `${programs.path}:/usr/bin:/bin`,
      HOME: home,
      XDG_RUNTIME_DIR: join(base.folder.path, "run"),
      TMPDIR: base.env["TMPDIR"] ?? "/tmp",
      USER: "mara",
      TZ: "UTC",
      LANG: "C.UTF-8",
    },
  };
  if (claude) fillProject(walked);
  return walked;
}

function fillProject({ cwd, claudeProjects, memory }: WalkHome): void {
  const folder = join(claudeProjects, claudeProjectKey(cwd.normalize("NFC")));
  mkdirSync(join(folder, "memory"), { recursive: true });
  const session = (digit: number) => {
    const options = {
      cwd,
      sessionId: sessionIdOf(digit),
      firstNumber: digit * 50,
      gitBranch: `main${HOSTILE}`,
    };
    const text = createTranscript(options)
      .user(`Remember that we deploy ${HOSTILE} from the release branch ${digit}.`)
      .assistant(`ok ${HOSTILE}`)
      .user(`From now on always use tabs ${HOSTILE} for indentation.`)
      .assistant("ok")
      .text();
    writeFileSync(join(folder, `${sessionIdOf(digit)}.jsonl`), text);
  };
  for (const digit of [1, 2, 3]) session(digit);
  writeFileSync(
    join(folder, "memory", `${memory}.md`),
    `---\nname: ${memory}\ndescription: ${JSON.stringify(`tabs ${HOSTILE}`)}\ntype: feedback\n---\n\nTabs ${HOSTILE}\n\n${HOSTILE}\n`,
  );
  writeFileSync(
    join(folder, "memory", "user_odd.md"),
    `---\nname: ${JSON.stringify(HOSTILE)}\ndescription: d\n---\n${HOSTILE}`,
  );
  writeFileSync(join(folder, "memory", "broken.md"), `---\nname: [${HOSTILE}\n---\n${HOSTILE}`);
  writeFileSync(
    join(folder, "memory", `feedback_\u001b[31m\u202e.md`),
    "---\nname: x\ndescription: d\n---\nx\n",
  );
}

/** Puts real names where a line asks for one. */
export function filled(line: readonly string[], home: WalkHome): string[] {
  const real: Readonly<Record<string, string>> = { "{memory}": home.memory, "{session}": sessionIdOf(1) };
  return line.map((word) => real[word] ?? word);
}

/** What holds for every answer, of every command, in every setting. */
export function expectDecent(line: readonly string[], { stdout, stderr, code, signal }: CommandResult): void {
  const said = `${line.join(" ")}\n${stdout}\n${stderr}`;
  expect.soft(signal, said).toBeNull();
  expect.soft(code, said).toBeGreaterThanOrEqual(0);
  expect.soft(code, said).toBeLessThanOrEqual(5);
  expect.soft(stdout, said).not.toMatch(CONTROL);
  expect.soft(stderr, said).not.toMatch(CONTROL);
  expect.soft(stderr === "" || ERROR_LINE.test(stderr), said).toBe(true);
  // What failed says why, and where nothing did nothing is said.
  if (code === 0) expect.soft(stderr, said).toBe("");
  else if (line[0] !== "status") expect.soft(stderr, said).not.toBe("");
}

/** Exactly one document, of the form its command promises, or the one of errors. */
export function expectDocument(line: readonly string[], { stdout, code }: CommandResult): void {
  const document: unknown = JSON.parse(stdout);
  const [name = "", action = "show"] = line;
  const own = DOCUMENTS[`${name} ${action}`] ?? DOCUMENTS[name];
  const error = DOCUMENTS["error"];
  const isError = typeof document === "object" && document !== null && "error" in document;
  const schema = isError ? error : own;
  expect.soft(schema, `${line.join(" ")}: no schema`).toBeDefined();
  expect.soft(schema?.safeParse(document).error, `${line.join(" ")}\n${stdout}`).toBeUndefined();
  if (isError) expect.soft(code, line.join(" ")).not.toBe(0);
}
