// `engramd model use` as a person meets it: nothing is sent or recorded before a yes to what is shown, and then no more
// than that.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelReport, UseModelReply } from "../../src/domain/model-choice.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { builtEntry, runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { createFakePrograms } from "../helpers/fake-programs.ts";
import type { ModelStub, StubReply, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { hasTerminal, onTerminal } from "../helpers/terminal.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import type { Story } from "./story.ts";
import { createStory, RELEASE, S1, S2, SHOP, TABS } from "./story.ts";

/** What no file and no output of ours may hold. */
const KEY = ["sk", "ant", "api03", "q".repeat(24)].join("-");

let stub: ModelStub;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  stub.otherwise({ blocks: ["Nothing to keep."] });
  story = createStory();
});
afterEach(() => stub.close());

/** A session of now: estimates look at the last days only. */
function say(text: string, name = S1, sessionId = sessionIdOf(1)): void {
  const firstNumber = name === S1 ? 1 : 60;
  const session = createTranscript({ cwd: SHOP, sessionId, firstNumber, startAt: Date.now() - 3_600_000 });
  story.transcript(SHOP, name, session.user(text).assistant("Noted.").text());
}

const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand({ home: story.home, args: ["model", ...args], env });

/** Every file of the home with its content. */
function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const paths = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return new Map(paths.map((path) => [path, readFileSync(path, "latin1")]));
}

/** Knows the marker at the start of the prompt, as a server that reads all of it does. */
function honest({ body }: StubRequest): StubReply {
  const marker = /The word is (\w+)\./u.exec(JSON.stringify(body["messages"]))?.[1];
  return marker === undefined
    ? { blocks: ["Nothing to keep."] }
    : { blocks: [{ tool: "report", input: { word: marker } }] };
}

describe("without a yes", () => {
  it("sends nothing over a whole sync and daemon life, whatever key or logged-in program is there", async () => {
    const programs = createFakePrograms(story.home.folder);
    programs.add("claude", "echo never");
    writeFileSync(
      join(story.home.home, ".claude.json"),
      '{ "oauthAccount": { "emailAddress": "a@b.example" } }',
    );
    writeFileSync(join(story.home.home, ".claude/.credentials.json"), '{ "claudeAiOauth": {} }');
    chmodSync(join(story.home.home, ".claude/.credentials.json"), 0o600);
    const env = {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: stub.url,
      ENGRAMD_BASE_URL: stub.url,
      PATH: `${programs.path}:${process.env["PATH"] ?? ""}`,
    };
    story.config({ extract: { debounceMs: 100, settleMs: 0 } });
    say(RELEASE);

    const synced = await runCommand({ home: story.home, args: ["sync"], env });
    const daemon = startDaemon({ home: story.home, env });
    await daemon.waitForEvent("daemon:ready");
    say(TABS, S2, sessionIdOf(2));
    await daemon.waitForEvent("memory:written");
    const shown = await command([], env);
    const planned = await command(["use", "anthropic"], env);
    await daemon.stop();

    expect([synced.code, shown.code, planned.code]).toEqual([0, 0, 1]);
    expect(stub.requests).toEqual([]);
    expect(programs.calls()).toEqual([]);
    expect(shown.stdout).toContain("ANTHROPIC_API_KEY is set; it is not used unless you say so");
    const written = [
      ...filesOf(story.home.folder.path).values(),
      shown.stdout,
      planned.stdout,
      planned.stderr,
    ];
    expect(written.filter((text) => text.includes(KEY))).toEqual([]);
  });

  it("shows agents, projects, host, tokens, money and ceilings, names --yes, and changes no file", async () => {
    say(RELEASE);
    const before = filesOf(story.home.home);

    const { code, stdout, stderr } = await command(["use", "anthropic", "--base-url", stub.url]);

    expect(code).toBe(1);
    expect(stderr).toContain("--yes");
    for (const text of ["claude-code", SHOP, stub.url, "claude-haiku-4-5", "1 session", "$2.00", "$30.00"])
      expect(stdout).toContain(text);
    expect(stdout).toMatch(/A typical day of yours: about [\d,]{4,} tokens, (?:less than )?\$0\.0\d/u);
    expect(filesOf(story.home.home)).toEqual(before);
    expect(stub.requests).toEqual([]);
  });

  it("goes on saying that a chosen model has no key, also where nothing has run since", async () => {
    say(RELEASE);
    expect((await command([])).stdout).not.toContain("no key");

    expect((await command(["use", "anthropic", "--base-url", stub.url, "--yes"])).code).toBe(0);

    const { stdout } = await command([]);
    expect(stdout).toContain("! there is no key here: new words wait for one");
    expect(stdout).toContain("fix: name it with apiKeyFile or apiKeyCommand, or set ANTHROPIC_API_KEY");
    expect((await command([], { ANTHROPIC_API_KEY: KEY })).stdout).not.toContain("no key");
  });

  it.skipIf(!hasTerminal).each(["n\r", "\r", "yesterday\r", "\u0004", "\u0003"])(
    "changes no file where the answer on a terminal is %j",
    async (typed) => {
      say(RELEASE);
      const before = filesOf(story.home.home);

      const { screen, code } = await answered(["use", "anthropic", "--base-url", stub.url], typed);

      expect(screen).toContain("Send this to");
      expect(screen).toContain("nothing was changed");
      expect(code).toBe(1);
      expect(filesOf(story.home.home)).toEqual(before);
    },
  );

  it.skipIf(!hasTerminal)("a yes on a terminal is enough", async () => {
    const { screen, code } = await answered(["use", "anthropic"], "y\r");

    expect(screen).toContain("reads what you type");
    expect(code).toBe(0);
    expect(configText()).toBe('{\n  "provider": "anthropic"\n}\n');
  });
});

function answered(args: readonly string[], typed: string) {
  const line = [process.execPath, builtEntry(), "model", ...args];
  return onTerminal({ command: line, env: story.home.env, when: "(y/N)", typed });
}

const configText = () => readFileSync(story.home.configFile, "utf8");
const consentText = () => {
  const path = join(story.home.stateDir, "consent.json");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};
const replyOf = (stdout: string) => JSON.parse(stdout) as UseModelReply;

function configure(text: string): void {
  mkdirSync(dirname(story.home.configFile), { recursive: true });
  writeFileSync(story.home.configFile, text);
}

describe("a yes", () => {
  it("is recorded with agent and host, and changes one line of the settings", async () => {
    configure('{\n\t"concurrency": 2,\n\t"provider": "offline"\n}\n');

    const { code, stdout } = await command(["use", "anthropic", "--base-url", stub.url, "--yes", "--json"]);

    expect(code).toBe(0);
    expect(replyOf(stdout)).toMatchObject({
      outcome: "done",
      sent: [{ agent: "claude-code", isNew: true }],
      diff: [
        { key: "provider", before: '"offline"', after: '"anthropic"' },
        { key: "baseUrl", before: null, after: `"${stub.url}"` },
      ],
    });
    expect(configText()).toBe(
      `{\n\t"concurrency": 2,\n\t"provider": "anthropic",\n\t"baseUrl": "${stub.url}"\n}\n`,
    );
    expect(JSON.parse(consentText())).toMatchObject({
      grants: [{ agent: "claude-code", provider: "anthropic", host: stub.url, by: "person" }],
    });
    expect(stub.requests).toEqual([]);
    const again = await command(["use", "anthropic", "--yes", "--json"]);
    expect(replyOf(again.stdout).outcome).toBe("unchanged");
  });

  it("is gone by at once in a running daemon, and so is its end", async () => {
    story.config({ extract: { debounceMs: 100, settleMs: 0, minNewTokens: 0 } });
    stub.otherwise(honest);
    const daemon = startDaemon({ home: story.home });
    await daemon.waitForEvent("daemon:ready");

    const used = await command([
      "use",
      "local",
      "--base-url",
      stub.url,
      "--model",
      "mine",
      "--yes",
      "--json",
    ]);
    expect(replyOf(used.stdout)).toMatchObject({ outcome: "done", running: true, unencrypted: false });
    const shown = await command(["--json"]);
    expect(DOCUMENTS["model"]?.safeParse(JSON.parse(shown.stdout))).toMatchObject({ success: true });
    expect(DOCUMENTS["model use"]?.safeParse(JSON.parse(used.stdout))).toMatchObject({ success: true });
    expect(JSON.parse(shown.stdout) as ModelReport).toMatchObject({
      running: true,
      host: stub.url,
      kinds: ["extract", "dream", "distill"].map((kind) => ({ kind, provider: "local", model: "mine" })),
      agents: [{ agent: "claude-code", reader: "model" }],
      week: { usd: null },
    });
    say(TABS);
    const asked = await stub.request(1);
    expect(asked.body["model"]).toBe("mine");

    const stopped = await command(["use", "offline"]);
    expect(stopped).toMatchObject({ code: 0, stderr: "" });
    say(RELEASE, S2, sessionIdOf(2));
    await daemon.waitForEvent("memory:written");
    expect(stub.requests).toHaveLength(2);
    expect(JSON.parse(consentText())).toMatchObject({ grants: [] });
    await daemon.stop();
  });

  it("to something that is no longer so is none", async () => {
    await story.ask(async (service) => {
      const { digest } = await service.useModel({ provider: "anthropic" });
      configure('{ "concurrency": 3 }\n');

      await expect(service.useModel({ provider: "anthropic", agreed: digest })).rejects.toMatchObject({
        code: "plan-changed",
      });
    });
    expect(consentText()).toBe("");
    expect(configText()).toBe('{ "concurrency": 3 }\n');
  });
});

describe("a server of one's own", () => {
  const use = (...more: readonly string[]) => command(["use", "local", "--yes", ...more]);

  it("is asked one question that holds nothing of the person's", async () => {
    say(RELEASE);
    stub.otherwise(honest);

    expect((await use("--base-url", stub.url)).code).toBe(0);

    expect(stub.requests).toHaveLength(1);
    const sent = JSON.stringify(stub.requests[0]?.body);
    expect(sent).not.toContain("release");
    expect(sent.length).toBeGreaterThan(4 * 20_000);
    expect(sent.length).toBeLessThan(4 * 40_000);
  });

  it.each([
    ["does not call the tool", { blocks: ["The word is in the first line."] }, "probe-no-tool-call"],
    ["calls another one", { blocks: [{ tool: "search", input: {} }] }, "probe-no-tool-call"],
    ["cuts what is long", { blocks: [{ tool: "report", input: { word: "123" } }] }, "probe-context-cut"],
    ["refuses", { status: 500, error: { type: "api_error" } }, "model-server-error"],
    ["is no such server", { raw: { type: "text/html", body: "<p>Hello" } }, "model-answer-unusable"],
  ])("that %s records nothing", async (_what, reply: StubReply, code) => {
    stub.otherwise(reply);
    configure('{ "concurrency": 2 }');

    const result = await use("--base-url", stub.url);

    expect(result.code).toBe(1);
    expect(result.stderr).toContain(`(${code})`);
    expect(result.stderr).toContain("nothing was changed");
    expect(configText()).toBe('{ "concurrency": 2 }');
    expect(consentText()).not.toContain("local");
  });

  it("that is another machine and not encrypted needs a word of its own", async () => {
    const plain = await use("--base-url", "http://10.11.12.13:8080");

    expect(plain.code).toBe(1);
    expect(plain.stdout).toContain("http://10.11.12.13:8080, which is not this machine");
    expect(plain.stderr).toContain("--allow-plain-http");
    expect(consentText()).toBe("");
    await story.ask(async (service) => {
      const request = { provider: "local", baseUrl: "http://10.11.12.13:8080" } as const;
      const { digest, elsewhere, unencrypted } = await service.useModel(request);
      expect({ elsewhere, unencrypted }).toEqual({ elsewhere: true, unencrypted: true });
      await expect(service.useModel({ ...request, agreed: digest })).rejects.toMatchObject({
        code: "needs-plain-http",
      });
    });
  });

  it("needs an address", async () => {
    expect(await use()).toMatchObject({ code: 2 });
  });
});

describe("what cannot be", () => {
  it.each([
    [["use"], "give one of anthropic, claude-cli, codex-cli, local, offline"],
    [["use", "other"], "there is no provider"],
    [["choose"], "model cannot choose"],
    [["--yes"], "--yes goes with a choice"],
    [["use", "anthropic", "--agent", "codex"], "nothing of an agent"],
    [["use", "anthropic", "--model", "claude-sonnet-4-5"], "--model claude-sonnet-4-6"],
    [["use", "anthropic", "--base-url", "https://user:pass@host"], "value of --base-url cannot be used"],
  ])("%j is wrong usage", async (args, says) => {
    const { code, stdout, stderr } = await command([...args]);

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain("pass@");
  });

  it("is named where a variable of the environment holds it", async () => {
    const { code, stderr } = await command(["use", "anthropic", "--yes"], { ENGRAMD_PROVIDER: "local" });

    expect(code).toBe(1);
    expect(stderr).toContain("cannot change provider: ENGRAMD_PROVIDER is set");
    expect(existsSync(story.home.configFile)).toBe(false);
  });
});
