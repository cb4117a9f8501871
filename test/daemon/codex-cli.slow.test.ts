// The real program of Codex, an exact version, as the model of a real daemon, against a scripted server: which tools and
// whose words reach the server, what is left on disk, what is left running. Needs the package registry once, else skipped.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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
import type { ResponsesReply, ResponsesStub } from "../helpers/responses-stub.ts";
import { startResponsesStub } from "../helpers/responses-stub.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

const VERSION = "0.171.0";
const CWD = "/home/ana/shop";
/** Words of what the person has set up for the agent. None may be in a request. */
const OWN_WORDS = ["PERSONAL-RULE-0815", "PERSONAL-SKILL-0815", "PERSONAL-MEMORY-0815"] as const;
const WITHIN_MS = 60_000;
const INSTALL_MS = 120_000;

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "engramd-tests");
const program = installed();

/** The launcher of the package; empty, with a printed reason, where it cannot be had. */
function installed(): string {
  const folder = join(cache, `codex-${VERSION}`);
  const launcher = join(folder, "node_modules/@openai/codex/bin/codex.js");
  if (existsSync(launcher)) return launcher;
  mkdirSync(folder, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"];
  const words = ["install", "--prefix", folder, ...flags, `@openai/codex@${VERSION}`];
  const got = spawnSync("npm", words, { timeout: INSTALL_MS, encoding: "utf8" });
  if (got.status === 0 && existsSync(launcher)) return launcher;
  process.stderr.write(`codex ${VERSION} is skipped: npm cannot install it here (exit ${got.status})\n`);
  return "";
}

let stub: ResponsesStub;
let home: ScratchHome;

beforeEach(async () => {
  stub = await startResponsesStub();
  home = createScratchHome();
  const [rule, skill, memory] = OWN_WORDS;
  const touch = (name: string) => JSON.stringify(home.folder.at(name));
  const files: Readonly<Record<string, string>> = {
    ".codex/auth.json": JSON.stringify(login()),
    ".codex/AGENTS.md": rule,
    ".codex/config.toml": `[mcp_servers.own]\ncommand = "touch"\nargs = [${touch("served")}]\n`,
    ".codex/hooks.json": JSON.stringify({
      hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `touch ${touch("hooked")}` }] }] },
    }),
    ".codex/skills/own/SKILL.md": `---\nname: own\ndescription: ${skill}\n---\n`,
    ".agents/skills/own/SKILL.md": `---\nname: own\ndescription: ${skill}\n---\n`,
    ".codex/memories/MEMORY.md": memory,
    "AGENTS.md": memory,
    ".local/state/engramd/codex-cli/work/AGENTS.md": memory,
    ".config/engramd/config.json": JSON.stringify({
      provider: "codex-cli",
      baseUrl: stub.url,
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

/** Of nobody: unsigned, good for a day. */
function login(): object {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const plan = { chatgpt_plan_type: "plus", chatgpt_account_id: "acc", chatgpt_user_id: "u" };
  const claims = { exp: Math.floor(Date.now() / 1_000) + 86_400, "https://api.openai.com/auth": plan };
  const token = [part({ alg: "none" }), part(claims), "x"].join(".");
  const tokens = { id_token: token, access_token: token, refresh_token: "r", account_id: "acc" };
  return { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() };
}

const projectFolder = () => join(home.claudeProjects, claudeProjectKey(CWD));

/** A daemon that is ready, and then a session it has not seen. */
async function startWithSession(): Promise<Daemon> {
  const bin = home.folder.folder("bin");
  chmodSync(program, 0o755);
  symlinkSync(program, join(bin, "codex"));
  const daemon = startDaemon({ home, env: { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` } });
  await daemon.waitForEvent("daemon:ready");
  mkdirSync(projectFolder(), { recursive: true });
  const session = createTranscript({ cwd: CWD }).user(SQUASH_WORDS).assistant("Will do.");
  writeFileSync(join(projectFolder(), `${sessionIdOf(1)}.jsonl`), session.text());
  return daemon;
}

const write: ResponsesReply = {
  text: JSON.stringify({
    calls: [{ tool: "write", arguments: JSON.stringify(squashInput(recordIdOf(1))) }],
  }),
};

/** Processes of the program that our daemon started, by the home in their words. */
function running(): string[] {
  const lines = execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(`${home.stateDir}/codex-cli`) && !line.startsWith("Z"));
}

async function untilNoneRuns(): Promise<void> {
  const end = performance.now() + WITHIN_MS;
  while (running().length > 0 && performance.now() < end)
    await new Promise((resolve) => setImmediate(resolve));
  expect(running()).toEqual([]);
}

const namesIn = (path: string): string[] =>
  existsSync(path) ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];

describe.skipIf(program === "")(`Codex ${VERSION}`, () => {
  it("makes one memory of one session, offered no tool and shown nothing of the person's own", async () => {
    stub.reply(write);
    const before = namesIn(join(home.home, ".codex")).toSorted();
    const daemon = await startWithSession();

    await daemon.waitForEvent("memory:written", { withinMs: WITHIN_MS });
    expect((await daemon.stop()).code).toBe(0);

    expect(readdirSync(join(projectFolder(), "memory")).toSorted()).toEqual([
      "MEMORY.md",
      "feedback_squash.md",
    ]);
    expect(stub.requests).toHaveLength(1);
    const [request = {}] = stub.requests;
    expect(request).toMatchObject({ model: "gpt-6-luna", tools: [], store: false });
    expect(request["additional_tools"]).toBeUndefined();
    const input = request["input"] as { type: string; role: string }[];
    expect(input.map(({ type, role }) => `${type} ${role}`)).toEqual(["message developer", "message user"]);
    const text = JSON.stringify(request);
    expect(text).toContain("squash commits before merging");
    expect(OWN_WORDS.filter((word) => text.includes(word))).toEqual([]);
    for (const name of ["hooked", "served"]) expect(existsSync(home.folder.at(name))).toBe(false);
    // It asks what account this is, and nothing else.
    expect(
      stub.others.filter((other) => !/^GET .*\/(?:accounts\/check|settings\/user)$/u.test(other)),
    ).toEqual([]);
    await untilNoneRuns();
    expect(namesIn(join(home.home, ".codex")).toSorted()).toEqual(before);
    const left = namesIn(join(home.stateDir, "codex-cli")).filter((name) => !name.startsWith("home/skills"));
    expect(left.filter((name) => /rollout|session|history|sqlite|schema|models/u.test(name))).toEqual([]);
    const [run = ""] = readdirSync(join(home.stateDir, "runs"));
    expect(readFileSync(join(home.stateDir, "runs", run), "utf8")).toMatch(/"usd":0,"plan":true/u);
  });

  it.each([
    [{ type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd: "touch ran" }) }],
    [{ type: "function_call", name: "shell", arguments: JSON.stringify({ command: ["touch", "ran"] }) }],
    [
      {
        type: "custom_tool_call",
        name: "apply_patch",
        input: "*** Begin Patch\n*** Add File: ran\n+x\n*** End Patch",
      },
    ],
    [{ type: "custom_tool_call", name: "exec", input: 'await tools.exec_command({cmd:"touch ran"})' }],
    [{ type: "local_shell_call", status: "completed", action: { type: "exec", command: ["touch", "ran"] } }],
  ])("runs nothing of what a model calls all the same: %j", async (item) => {
    stub.reply({ item: { id: "fc_1", call_id: "call_1", ...item } });
    const daemon = await startWithSession();

    await daemon.waitForEvent("job:finished", { withinMs: WITHIN_MS });
    await daemon.stop();

    expect(namesIn(home.folder.path).filter((name) => /(?:^|\/)ran$/u.test(name))).toEqual([]);
    expect(stub.requests.length).toBeLessThanOrEqual(2);
    await untilNoneRuns();
  });

  it("closes the provider until the end of the plan's limit, and keeps the words", async () => {
    const resetsAt = Math.floor(Date.now() / 1_000) + 7_200;
    const error = { type: "usage_limit_reached", message: "SAID", plan_type: "plus", resets_at: resetsAt };
    stub.reply({ status: 429, body: { error } });
    const daemon = await startWithSession();

    const finished = await daemon.waitForEvent("job:finished", { withinMs: WITHIN_MS });
    await daemon.stop();

    expect(finished["outcome"]).toMatchObject({ result: "delayed", reason: "model-plan-limit" });
    const { at } = finished["outcome"] as { readonly at: number };
    expect(Math.abs(at / 1_000 - resetsAt)).toBeLessThan(180);
    expect(JSON.stringify(daemon.log())).not.toContain("SAID");
    expect(stub.requests).toHaveLength(1);
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("ends with us, by %s", async (signal) => {
    stub.reply({ hang: true });
    const daemon = await startWithSession();
    await stub.asked();
    expect(running().length).toBeGreaterThan(0);

    await daemon.stop(signal);

    await untilNoneRuns();
    expect(existsSync(join(projectFolder(), "memory/feedback_squash.md"))).toBe(false);
  });
});
