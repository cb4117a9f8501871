import { describe, expect, it } from "vitest";
import { knowing } from "../../../src/cli/frame/knowing.ts";
import type { CommandEntry } from "../../../src/cli/frame/command.ts";
import { logLine } from "../../../src/cli/render/log-line.ts";
import type { Line } from "../../../src/cli/render/line.ts";
import { printLines } from "../../../src/cli/render/output.ts";
import { overviewLines } from "../../../src/cli/render/overview.ts";
import { textWidth } from "../../../src/cli/render/width.ts";
import type { Overview } from "../../../src/domain/overview.ts";
import { sampleOverview } from "../serve/fake-service.ts";

const NOW = Date.UTC(2026, 4, 4, 9);
const HOSTILE = "\u001b[2J\u001b]0;pwned\u0007\u202egnp.exe\u009b\r\nnext";
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

function printed(lines: readonly Line[]): string {
  let text = "";
  const out = { write: (part: string) => void (text += part), isTerminal: false, columns: undefined };
  printLines(out, lines, { colour: false });
  return text;
}

interface Shown {
  readonly width?: number;
  readonly commands?: readonly string[];
  readonly home?: string;
}

function screen(changes: Partial<Overview> = {}, shown: Shown = {}): string {
  const {
    width = 100,
    commands = ["review", "undo --all", "model", "run", "install"],
    home = "/home/ana",
  } = shown;
  const knows = (command: string) => commands.includes(command);
  return printed(overviewLines(sampleOverview(changes), { width, now: NOW, home, knows }));
}

const CLAUDE = sampleOverview().agents[0]!;
const CODEX = { ...CLAUDE, agent: "codex", sessions: 31, projects: 4 } as const;

describe("the first screen", () => {
  it("lines up what was found, and the commands that go on from there", () => {
    const agents = [{ ...CLAUDE, expiringSessions: 41 }, CODEX];

    expect(screen({ agents })).toBe(
      [
        "engramd is watching (offline: no network, no cost)",
        "  Claude Code  214 sessions, 12 projects",
        "  Codex         31 sessions, 4 projects",
        "  read 1,906 of your messages: 4 memories saved, 23 candidates waiting    engramd review",
        "  writes only to ~/.claude/projects/*/memory",
        "  undo everything                                                         engramd undo --all",
        "  41 sessions will be deleted by Claude Code within 7 days: read first",
        "  with a model: about 38 sessions in the last 7 days, about $0.90         engramd model",
        "",
      ].join("\n"),
    );
  });

  it("names no command the program does not have", () => {
    const text = screen({ agents: [{ ...CLAUDE, expiringSessions: 1 }] }, { commands: [] });

    expect(text).not.toMatch(/engramd (?!is )/);
    expect(text).not.toContain("undo");
    expect(text).toContain("23 candidates waiting\n");
    expect(text).toContain("1 session will be deleted");
  });

  it("puts commands below their texts where the page is narrow, and fits it", () => {
    const text = screen({ agents: [{ ...CLAUDE, expiringSessions: 41 }, CODEX] }, { width: 40 });

    expect(Math.max(...text.split("\n").map(textWidth))).toBeLessThanOrEqual(40);
    expect(text).toContain("\n    engramd review\n");
    expect(text).toContain("  Claude Code  214 sessions, 12 projects\n");
  });

  it.each([40, 80])("with wide characters and hostile texts fits %i columns", (width) => {
    const text = screen(
      {
        writesTo: ["/home/ана/プロジェクト/メモリ/記憶", `/home/${HOSTILE}`],
        warnings: [{ code: "x", message: `この警告は長い ${HOSTILE}`, fix: HOSTILE }],
      },
      { width, home: "/home/ана" },
    );

    expect(Math.max(...text.split("\n").map(textWidth))).toBeLessThanOrEqual(width);
    expect(text).not.toMatch(CONTROL);
    expect(text).toContain("~/プロジェクト");
  });

  it("shortens nothing that only begins like the home folder", () => {
    expect(screen({ writesTo: ["/home/anabel/x"] })).toContain("writes only to /home/anabel/x");
  });

  it("without any agent says what was looked for and where", () => {
    const roots = [{ path: "/home/ana/.claude/projects", found: false }];
    const text = screen({ agents: [{ ...CLAUDE, sessions: 0, projects: 0, roots }] });

    expect(text).toContain("no coding agent was found yet");
    expect(text).toContain("Claude Code: ~/.claude/projects is not there");
    expect(text).not.toContain("read 1,906");
  });

  it("says what is left to read while it reads", () => {
    const text = screen({ state: "scanning", reading: true, unread: { sessions: 12, bytes: 3_400_000 } });

    expect(text).toContain("engramd is reading...");
    expect(text).toContain("reading... 12 sessions (3.4 MB) to go");
  });

  it("of a stopped engramd promises nothing and says how to start it", () => {
    const text = screen({
      state: "stopped",
      unread: { sessions: 1, bytes: 10 },
      agents: [{ ...CLAUDE, expiringSessions: 2 }],
    });

    expect(text).toContain("engramd is not running");
    expect(text).toContain("1 session (10 B) waits to be read");
    expect(text).toContain("2 unread sessions will be deleted by Claude Code within 7 days\n");
    expect(text).toMatch(/start it here +engramd run\n/);
  });

  it("offers what is there and could be used, with the command that chooses it", () => {
    const offers = [
      { what: "ANTHROPIC_API_KEY is set", command: "engramd model use anthropic" },
      { what: "a login of Claude Code is here", command: "engramd model use claude-cli" },
    ];
    const commands = ["model", ...offers.map(({ command }) => command.slice("engramd ".length))];

    const text = screen({ offers }, { commands });

    expect(text).toMatch(/^ {2}ANTHROPIC_API_KEY is set +engramd model use anthropic$/mu);
    expect(text).toMatch(/^ {2}a login of Claude Code is here +engramd model use claude-cli$/mu);
    expect(screen({}, { commands })).not.toContain("model use");
  });

  it("with a model says what it cost instead of what it would cost", () => {
    const provider = { name: "anthropic", model: "claude-haiku-4-5", why: "" };
    const text = screen({ provider, spent: { usdToday: 0.12, usdMonth: 3.4 } });

    expect(text).toContain("(anthropic claude-haiku-4-5: $0.12 today, $3.40 this month)");
    expect(text).not.toContain("with a model");
  });

  it("shows three warnings and counts the others", () => {
    const warnings = Array.from({ length: 5 }, (_, at) => ({
      code: "x",
      message: `trouble ${at}`,
      fix: "mend it",
    }));
    const text = screen({ warnings });

    expect(text.match(/! trouble/g)).toHaveLength(3);
    expect(text).toContain("and 2 warnings more: engramd status");
  });
});

describe("a command named by a text", () => {
  const entry = (name: string, flags: readonly string[], hidden?: true): CommandEntry => ({
    name,
    summary: "",
    words: "",
    options: flags.map((each) => ({ flags: each, summary: "" })),
    run: () => Promise.reject(new Error("not asked for")),
    ...(hidden === undefined ? {} : { hidden }),
  });
  const knows = knowing({ commands: [entry("undo", ["-a, --all"]), entry("inner", [], true)] });

  it.each([
    ["undo", true],
    ["undo --all", true],
    ["undo --force", false],
    ["inner", false],
    ["review", false],
  ])("%s is known: %s", (line, known) => {
    expect(knows(line)).toBe(known);
  });
});

describe("a log line on a terminal", () => {
  const LOGGED_AT = "2026-05-04T08:30:00.000Z";
  const shown = (fields: object, isBrief = false) => {
    const line = logLine(JSON.stringify({ time: LOGGED_AT, ...fields }), {
      now: NOW,
      isBrief,
    });
    return line === undefined ? undefined : printed([line]);
  };

  it("says what happened with its fields, and how bad it is", () => {
    // Half an hour is no whole one everywhere.
    const minutes = String(new Date(LOGGED_AT).getMinutes()).padStart(2, "0");
    const text = shown({ level: "info", msg: "memory:written", file: "a.md" });
    expect(text?.slice(2)).toBe(`:${minutes}  memory:written  file=a.md\n`);
    expect(text).toMatch(/^\d\d:/u);
    expect(shown({ level: "error", msg: "a round failed", error: "EIO" })).toContain(
      "error: a round failed  error=EIO",
    );
  });

  it("is left out where it comes with every job, or before the first screen", () => {
    expect(shown({ level: "info", msg: "job:finished" })).toBeUndefined();
    expect(shown({ level: "info", msg: "memory:written" }, true)).toBeUndefined();
    expect(shown({ level: "warn", msg: "memory:written" }, true)).toBeDefined();
    expect(shown({ level: "info", msg: "daemon:ready" }, true)).toBeDefined();
  });

  it("brings no control character", () => {
    expect(shown({ level: "warn", msg: HOSTILE, path: HOSTILE })).not.toMatch(CONTROL);
    expect(printed([logLine(HOSTILE, { now: NOW, isBrief: false })!])).not.toMatch(CONTROL);
  });
});
