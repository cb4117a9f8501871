// What commands print, on paper and on terminals: no control character of others, colour and width as the place asks,
// and an output nobody takes changes nothing. The built program as a process.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textWidth } from "../../src/cli/render/width.ts";
import { claudeProjectKey, createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import type { WalkHome } from "./command-lines.ts";
import { allCommandLines, CONTROL, createWalkHome, filled, firstLines, WALKED } from "./command-lines.ts";

const HAS_SCRIPT = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
if (!HAS_SCRIPT) process.stdout.write("skipped: no script here to make a terminal with\n");

/** An error is one line by contract; paths, commands to copy and words longer than a line stay whole. */
const WHOLE =
  /^engramd: .* \([a-z-]+\)$|^ *(?:(?:ran|runs|wrote|made|removed|left|with|fix:|created|confirmed|logged) +)?(?:\S{25,}|\/.*|systemctl .*)$/u;

const linesOf = (home: WalkHome) => firstLines().map((line) => filled(line, home));

interface Shown {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program by a shell line in which `engramd` stands for it and `$@` for its words. */
function byShell(home: WalkHome, words: readonly string[], line: string, env: object = {}): Shown {
  const script = `engramd() { "$NODE" "$ENTRY" "$@"; }\n${line}`;
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", script, "sh", ...words], {
    encoding: "utf8",
    cwd: home.cwd,
    input: "",
    env: { ...home.env, NODE: process.execPath, ENTRY: builtEntry(), ...env },
  });
  return { code: status ?? -1, stdout, stderr };
}

/** On a terminal of some columns, made by `script`. */
function onTerminal(
  home: WalkHome,
  words: readonly string[],
  env: Record<string, string> = {},
  columns = 80,
) {
  const inner = `stty cols ${columns}; exec "$NODE" "$ENTRY" ${words.map((_, at) => `"$W${at}"`).join(" ")}`;
  const named = Object.fromEntries(words.map((word, at) => [`W${at}`, word]));
  const result = byShell(home, [], 'script -qec "$INNER" /dev/null', {
    TERM: "xterm",
    ...named,
    INNER: inner,
    ...env,
  });
  const stdout = result.stdout.replaceAll("\r\n", "\n").replaceAll(PROGRESS, "");
  return { ...result, lines: stdout.split("\n").slice(0, -1) };
}

/** The line a person sees once a command takes some seconds, as any does on a slow machine, and the blanks that end it. */
const PROGRESS = /[a-z][ -~]*, \d+ (?:s|min)[ -~]*\r +\r/gu;

// oxlint-disable-next-line no-control-regex -- our own colours, and nothing else
const COLOUR = /\u001b\[\d*m/gu;

async function prepared(): Promise<WalkHome> {
  const home = createWalkHome();
  await runCommand({ home, args: ["sync", "--backfill", "all"], cwd: home.cwd });
  return home;
}

describe("a terminal", () => {
  it.skipIf(!HAS_SCRIPT)("gets colours and nothing else a terminal obeys", async () => {
    const home = await prepared();
    let coloured = 0;

    for (const line of allCommandLines()) {
      const { lines, stdout } = onTerminal(home, filled(line, home));
      const bare = lines.map((text) => text.replaceAll(COLOUR, ""));
      expect.soft(bare.join("\n"), line.join(" ")).not.toMatch(CONTROL);
      if (stdout.includes("\u001b[")) coloured += 1;
    }

    expect(coloured).toBeGreaterThan(3);
  });

  it.skipIf(!HAS_SCRIPT)("gets no colour when it is a dumb one", async () => {
    const home = await prepared();

    for (const line of linesOf(home))
      expect.soft(onTerminal(home, line, { TERM: "dumb" }).stdout, line.join(" ")).not.toContain("\u001b");
  });

  it.skipIf(!HAS_SCRIPT)(
    "of 40 columns with NO_COLOR gets no colour and lines that fit, but for what cannot be broken",
    async () => {
      const home = await prepared();
      const walked = [...linesOf(home), ["--help"], ...WALKED.map(({ name }) => [name, "--help"])];

      for (const line of walked) {
        const { lines, stdout } = onTerminal(home, line, { NO_COLOR: "1" }, 40);
        expect.soft(stdout, line.join(" ")).not.toContain("\u001b");
        // Scripts and manual pages are for machines; logs are another program's lines.
        if (["completion", "logs"].includes(line[0] ?? "") && !line.includes("--help")) continue;
        for (const text of lines.filter((one) => textWidth(one) > 40 && !WHOLE.test(one)))
          expect.soft(text, line.join(" ")).toBe("");
      }
    },
  );
});

describe("an output nobody takes", () => {
  it("changes no exit code: closed, full, or a reader that leaves", async () => {
    const home = await prepared();
    const ways = [
      'engramd "$@" >&-',
      ...(existsSync("/dev/full") ? ['engramd "$@" > /dev/full 2> /dev/full'] : []),
      'engramd "$@" 2>&-',
      '{ engramd "$@"; echo $? > "$HOME/code"; } | head -n 1 > /dev/null; exit $(cat "$HOME/code")',
    ];
    const lines = [...linesOf(home), ["--help"], ["show"], ["list", "--json"]];

    for (const line of lines.filter(([name]) => !["forget", "install", "uninstall"].includes(name ?? ""))) {
      const { code } = byShell(home, line, 'engramd "$@"');
      for (const way of ways) {
        const result = byShell(home, line, way);
        expect.soft(result.code, `${line.join(" ")}: ${way}\n${result.stderr}`).toBe(code);
        expect
          .soft(result.stderr.split("\n").length, `${line.join(" ")}: ${way}\n${result.stderr}`)
          .toBeLessThan(3);
      }
    }
  });

  it("nor does an input that is closed", async () => {
    const home = await prepared();

    for (const line of linesOf(home).filter(([name]) => name !== "uninstall")) {
      const { code, stderr } = byShell(home, line, 'engramd "$@" <&-');
      expect.soft([0, 1, 5], `${line.join(" ")}\n${stderr}`).toContain(code);
      expect.soft(stderr).not.toMatch(/at .*\.js:\d|EBADF/u);
    }
  });
});

const SESSIONS = 60;
/** Homes tried until a sync is met in the middle of its work: a machine may be quicker than our signal. */
const HOMES_MAX = 10;
const EXIT_MS = 10_000;
/** The exit code of a program that SIGINT ended. */
const INTERRUPTED = 130;

describe("Ctrl-C during a long sync", () => {
  /** A home with much to learn, and the first memory of it just written. */
  async function inTheMiddle() {
    const home = createWalkHome({ name: "long" });
    const folder = join(home.claudeProjects, claudeProjectKey(home.cwd));
    mkdirSync(folder, { recursive: true });
    // Filler around one rule a session: long enough to be in the middle of it.
    for (let at = 0; at < SESSIONS; at += 1) {
      const options = {
        cwd: home.cwd,
        sessionId: `${sessionIdOf(4).slice(0, -3)}${String(at).padStart(3, "0")}`,
      };
      const transcript = createTranscript({ ...options, firstNumber: 10_000 + at * 1_000 });
      transcript.user(`Remember that service number ${at} listens on port ${9000 + at}.`).assistant("ok");
      for (let turn = 0; turn < 150; turn += 1)
        transcript.user(`what about line ${turn}?`).assistant("x".repeat(300));
      writeFileSync(join(folder, `${options.sessionId}.jsonl`), transcript.text());
    }
    const sync = startDaemon({ home, args: ["sync", "--backfill", "all"] });
    const memories = () => {
      const path = join(folder, "memory");
      return existsSync(path) ? readdirSync(path).filter((name) => name.startsWith("project_")) : [];
    };
    await expect.poll(() => memories().length, { interval: 2 }).toBeGreaterThan(0);
    return { home, folder, sync, memories };
  }

  it("ends it at once; the next one finishes, with every memory once and nothing half written", async () => {
    let met = await inTheMiddle();
    let killedAt = performance.now();
    let exit = await met.sync.stop("SIGINT");
    for (let homes = 1; homes < HOMES_MAX && exit.code !== INTERRUPTED; homes += 1) {
      // Done before the signal came, or while it left and nobody listened any more.
      expect(met.memories()).toHaveLength(SESSIONS);
      met = await inTheMiddle();
      killedAt = performance.now();
      exit = await met.sync.stop("SIGINT");
    }
    const { home, folder, memories } = met;

    expect(performance.now() - killedAt).toBeLessThan(EXIT_MS);
    expect(exit).toEqual({ code: INTERRUPTED, signal: null });
    expect(memories().length).toBeLessThan(SESSIONS);
    const again = await runCommand({ home, args: ["sync", "--backfill", "all", "--json"], cwd: home.cwd });
    expect(again).toMatchObject({ code: 0, stderr: "" });
    const learnt = memories().map((name) => readFileSync(join(folder, "memory", name), "utf8"));
    const ports = learnt.flatMap((text) => /listens on port (\d+)/u.exec(text)?.[1] ?? []);
    expect(ports.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: SESSIONS }, (_, at) => String(9000 + at)),
    );
    expect(readdirSync(join(folder, "memory")).filter((name) => /tmp|\.new/u.test(name))).toEqual([]);
  });
});
