// The real program of Claude Code, two exact versions, as the model of a real daemon, against a scripted server: what
// reaches the server, what is left on disk, what is left running. Needs the package registry once, else it is skipped.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeProjectKey, createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { startDaemon } from "../helpers/daemon-process.ts";
import { SQUASH_WORDS, squashInput } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { CAN_LIST_PROCESSES, processesOf } from "../helpers/processes.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const CWD = "/home/ana/shop";
/** Words that stand in what the person has set up for the agent, and must not be in a request. */
const OWN_WORDS = ["PERSONAL-RULE-0815", "PERSONAL-HOOK-0815", "PERSONAL-MEMORY-0815"] as const;
/** A start of the program takes up to seven seconds on a busy machine with two cores. */
const WITHIN_MS = 60_000;
const INSTALL_MS = 120_000;
const OURS = "656e6772-616d-4";

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "engramd-tests");
const versions = ["2.1.332", "2.1.197"] as const;
const programs = new Map(versions.map((version) => [version, installed(version)]));

/** The binary of the platform's own package; undefined, with a printed reason, where it cannot be had. */
function installed(version: string): string | undefined {
  const name = `claude-code-${process.platform}-${process.arch}`;
  const folder = join(cache, `claude-code-${version}`);
  const program = join(folder, "node_modules/@anthropic-ai", name, "claude");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"];
  const got = spawnSync(
    "npm",
    ["install", "--prefix", folder, ...flags, `@anthropic-ai/claude-code@${version}`],
    {
      timeout: INSTALL_MS,
      encoding: "utf8",
    },
  );
  if (got.status === 0 && existsSync(program)) return program;
  process.stderr.write(
    `claude-code ${version} is skipped: npm cannot install it here (exit ${got.status})\n`,
  );
  return undefined;
}

let stub: ModelStub;
let home: ScratchHome;

beforeEach(async () => {
  stub = await startModelStub();
  home = createScratchHome();
  const [rule, hook, memory] = OWN_WORDS;
  const files: Readonly<Record<string, string>> = {
    ".claude/CLAUDE.md": rule,
    ".claude/settings.json": JSON.stringify({
      hooks: {
        UserPromptSubmit: [
          { hooks: [{ type: "command", command: `echo ${hook}; touch ${home.folder.at("hooked")}` }] },
        ],
      },
      env: { PERSONAL: "1" },
    }),
    ".claude.json": JSON.stringify({
      mcpServers: { own: { command: "touch", args: [home.folder.at("served")] } },
    }),
    "CLAUDE.md": memory,
    ".local/state/engramd/claude-cli/work/CLAUDE.md": memory,
    ".config/engramd/config.json": JSON.stringify({
      provider: "claude-cli",
      baseUrl: stub.url,
      // The hardest case: sessions of programs are read as well.
      extract: { debounceMs: { model: 100 }, settleMs: 0, headless: true },
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(home.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
});
afterEach(() => stub.close());

interface Setting {
  readonly program: string;
  /** A shell's line that calls the program instead of the plain one; its words are `$@`. */
  readonly call?: string;
}

/** A daemon that is ready, and then a session it has not seen. */
async function startWithSession({ program, call }: Setting): Promise<Daemon> {
  const bin = home.folder.folder("bin");
  const named = join(bin, "claude");
  if (!existsSync(named)) {
    if (call === undefined) symlinkSync(program, named);
    else writeFileSync(named, `#!/bin/sh\n${call}\n`);
    chmodSync(named, 0o755);
  }
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
    CLAUDE_CODE_OAUTH_TOKEN: ["a", "login", "of", "nobody"].join("-"),
  };
  const daemon = startDaemon({ home, env });
  await daemon.waitForEvent("daemon:ready");
  mkdirSync(projectFolder(), { recursive: true });
  const session = createTranscript({ cwd: CWD }).user(SQUASH_WORDS).assistant("Will do.");
  writeFileSync(join(projectFolder(), `${sessionIdOf(1)}.jsonl`), session.text());
  return daemon;
}

const projectFolder = () => join(home.claudeProjects, claudeProjectKey(CWD));
const memories = () => readdirSync(join(projectFolder(), "memory")).toSorted();

const write: StubReply = {
  blocks: [
    {
      tool: "StructuredOutput",
      input: { calls: [{ tool: "write", arguments: squashInput(recordIdOf(1)) }] },
    },
  ],
};

/** 2.1.197 looks whether the server is there before it asks. */
const asked = () => stub.requests.filter(({ path }) => path.startsWith("/v1/messages"));

/** Processes of the program that our daemon started; the daemon as well while it lives, where the home tells whose they are. */
function running(): readonly unknown[] {
  if (CAN_LIST_PROCESSES) return processesOf(home.home);
  // By the mark in their words, which those of a test beside this one have as well.
  const lines = execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(OURS) && !line.startsWith("Z"));
}

async function untilNoneRuns(): Promise<void> {
  const end = performance.now() + WITHIN_MS;
  while (running().length > 0 && performance.now() < end)
    await new Promise((resolve) => setImmediate(resolve));
  expect(running()).toEqual([]);
}

/** What is in the home, below folders and files of these names. */
function filesIn(...names: readonly string[]): string[] {
  return names
    .map((name) => join(home.home, name))
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      statSync(path).isFile()
        ? [path]
        : readdirSync(path, { recursive: true, encoding: "utf8" })
            .map((name) => join(path, name))
            .filter((file) => statSync(file).isFile()),
    )
    .map((path) => path.slice(home.home.length + 1))
    .toSorted();
}

describe.each(versions)("Claude Code %s", (version) => {
  const program = programs.get(version) ?? "";

  it.skipIf(program === "")(
    "makes one memory of one session, and is shown nothing of the person's own",
    async () => {
      stub.otherwise(write);
      const daemon = await startWithSession({ program });

      await daemon.waitForEvent("memory:written", { withinMs: WITHIN_MS });
      expect((await daemon.stop()).code).toBe(0);

      expect(memories()).toEqual(["MEMORY.md", "feedback_squash.md"]);
      const [request, ...more] = asked();
      expect(more).toEqual([]);
      const { body = {}, keyKind } = request ?? {};
      expect(keyKind).toBe("bearer");
      expect((body["tools"] as { name: string }[]).map(({ name }) => name)).toEqual(["StructuredOutput"]);
      expect(body).toMatchObject({
        model: "claude-haiku-4-5",
        max_tokens: 8_192,
        thinking: { type: "disabled" },
      });
      const text = JSON.stringify(body);
      expect(text).toContain("squash commits before merging");
      expect(OWN_WORDS.filter((word) => text.includes(word))).toEqual([]);
      expect(existsSync(home.folder.at("hooked")) || existsSync(home.folder.at("served"))).toBe(false);
      await untilNoneRuns();
      const left = filesIn(".claude", ".claude.json").filter(
        (path) => !path.startsWith(".claude/projects/-home-ana-shop/"),
      );
      // The program's own bookkeeping; no transcript, no memory.
      const allowed = /^\.claude(\/CLAUDE\.md|\/settings\.json|\.json|\/backups\/.*|\/plugins\/store\/.*)$/u;
      expect(left.filter((path) => !allowed.test(path))).toEqual([]);
      expect(filesIn(".local/state/engramd/claude-cli")).toEqual([]);
      const [run] = readdirSync(join(home.stateDir, "runs"));
      expect(readFileSync(join(home.stateDir, "runs", run ?? ""), "utf8")).toMatch(/"usd":0,"plan":true/u);
    },
  );
});

const program = programs.get("2.1.332") ?? "";

describe.skipIf(program === "")("its end", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("comes with ours, by %s", async (signal) => {
    stub.otherwise({ ...write, hangAfter: 300 });
    const daemon = await startWithSession({ program });
    await stub.request(0);
    expect(running().length).toBeGreaterThan(CAN_LIST_PROCESSES ? 1 : 0);

    await daemon.stop(signal);

    await untilNoneRuns();
    expect(memories).toThrow();
  });
});

describe.skipIf(program === "")("its sessions", () => {
  it("are never read, even where it is made to keep them and where one was copied to another project", async () => {
    stub.reply(write);
    stub.otherwise({ blocks: [{ tool: "StructuredOutput", input: { calls: [] } }] });
    const call = `n=$#; while [ $n -gt 0 ]; do a=$1; shift; n=$((n-1)); [ "$a" = --no-session-persistence ] || set -- "$@" "$a"; done; exec '${program}' "$@"`;
    const first = await startWithSession({ program, call });
    await first.waitForEvent("memory:written", { withinMs: WITHIN_MS });
    await first.stop();
    const kept = filesIn(".claude/projects").filter((path) => path.includes(OURS));
    expect(kept).toHaveLength(1);
    const [path = ""] = kept;
    const other = join(home.claudeProjects, claudeProjectKey("/home/ana/other"));
    mkdirSync(other, { recursive: true });
    const text = readFileSync(join(home.home, path), "utf8");
    expect(text).toContain("squash commits before merging");
    writeFileSync(
      join(other, "copied.jsonl"),
      text.replaceAll(`${home.stateDir}/claude-cli/work`, "/home/ana/other"),
    );
    copyFileSync(join(other, "copied.jsonl"), join(projectFolder(), "copied.jsonl"));

    const again = await startWithSession({ program, call });
    await again.waitForEvent("daemon:ready");
    const said = createTranscript({ cwd: CWD, sessionId: sessionIdOf(2), firstNumber: 60 });
    const words = "Please name branches after the ticket, otherwise nobody finds them.";
    writeFileSync(
      join(projectFolder(), `${sessionIdOf(2)}.jsonl`),
      said.user(words).assistant("Yes.").text(),
    );
    // The copies were there first: a job over them would have asked before this.
    await stub.request(1);
    await again.stop();

    // One request for each session of the person's; ours made none, and stand in none.
    expect(asked()).toHaveLength(2);
    const sent = JSON.stringify(asked()[1]?.body);
    expect(sent).toContain("name branches after the ticket");
    expect(sent).not.toContain(recordIdOf(1));
  });
});
