// Secrets in everything a session holds and in everything a model answers: after the run none of them is in anything
// engramd wrote, sent, logged or said. Only the transcripts themselves may hold them.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findSecrets } from "../../src/memory/secrets/scanner.ts";
import { ROUTES } from "../../src/serve/control/routes.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { Daemon } from "../helpers/daemon-process.ts";
import { runCommand, startDaemon } from "../helpers/daemon-process.ts";
import { SQUASH_WORDS, squashWrite } from "../helpers/model-memory.ts";
import type { ModelStub, StubReply } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { askSocket, listenToEvents } from "../helpers/socket-client.ts";
import { createDraw } from "../unit/memory/secrets/made-up-tokens.ts";
import { filesBelow, leaks, plant, type Planted, type Produced } from "./planted.ts";
import { createStory, RELEASE, S1, SHOP, TABS, type Story } from "./story.ts";

let stub: ModelStub;

beforeEach(async () => {
  stub = await startModelStub();
});
afterEach(() => stub.close());

/** Each secret typed, printed by a tool, passed to one, and repeated by the agent; plain words around them. */
function tell(story: Story, planted: readonly Planted[]): void {
  const session = createTranscript({ cwd: SHOP })
    .user(SQUASH_WORDS)
    .assistant("Will do.")
    .user(TABS)
    .assistant("Yes.");
  for (const { said } of planted) {
    session.user(said).assistant(`I note: ${said}`);
    session
      .toolCall("Bash", { command: `echo '${said}'`, description: said })
      .toolResult(`out\n${said}\nend`);
  }
  const all = planted.map(({ said }) => said);
  session.user(`Remember all of these:\n${all.join("\n")}`).assistant("All of them.");
  session.user(RELEASE).assistant("Fine.");
  session.other({ type: "summary", summary: all[0], leafUuid: recordIdOf(1) });
  session.other({ type: "custom-title", customTitle: all[10], sessionId: sessionIdOf(1) });
  session.other({ type: "user", message: { role: "user", content: all.slice(0, 3) } });
  session.raw(`{"type":"user","message":{"role":"user","content":"broken ${planted[7]?.value ?? ""}`);
  story.transcript(SHOP, S1, session.text());
}

/** A model that writes them everywhere it can, and one honest memory. */
function steeredModel(planted: readonly Planted[]): StubReply[] {
  const id = recordIdOf(1);
  // By itself, without the words around it, a password is a word like any other.
  const short = planted.filter(({ value }) => value.length < 50 && findSecrets(value).length > 0);
  const writes = planted.map(({ said }, n) => {
    const place = [
      { body: `${said}\n\n**Why:** told.\n**How to apply:** always.` },
      { description: said },
      { name: said },
      { evidence: [{ recordId: id, quote: said }] },
    ][n % 4];
    return squashWrite(id, { file: `feedback_note_${n}.md`, ...place });
  });
  const names = short.map(({ value }) => squashWrite(id, { file: `feedback_${value}.md` }));
  const looks = short.flatMap(({ value }) => [
    { tool: "read", input: { file: `${value}.md` } },
    { tool: "grep", input: { pattern: value } },
    { tool: "delete", input: { file: `${value}.md`, reason: value } },
  ]);
  const edits = planted.map(({ said }) => ({
    tool: "edit",
    input: { file: "feedback_squash.md", old: "Squash", new: said, old_string: "Squash", new_string: said },
  }));
  return [
    { blocks: [planted.map(({ said }) => said).join("\n"), squashWrite(id), ...writes.slice(0, 12)] },
    { blocks: writes.slice(12) },
    { blocks: [...names, ...looks].slice(0, 60) },
    { blocks: edits },
    { blocks: [planted.map(({ said }) => said).join("\n")] },
  ];
}

const COMMANDS: readonly (readonly string[])[] = [
  ["status"],
  ["overview"],
  ["list"],
  ["list", "--all"],
  ["history"],
  ["news"],
  ["doctor"],
  ["config"],
  ["config", "explain"],
  ["config", "check"],
  ["model"],
  ["project"],
  ["logs"],
  ["search", "password"],
  ["search", "staging", "birch"],
  ["show", "squash-commits"],
  ["show", "tabs"],
  ["why", "squash-commits"],
  ["why", "{session}"],
  ["diff", "{run}"],
];

async function said(
  story: Story,
  planted: readonly Planted[],
  env: Record<string, string>,
): Promise<Produced[]> {
  const { home } = story;
  const produced: Produced[] = [];
  const { stdout } = await runCommand({ home, env, args: ["history", "--json"] });
  const run = (JSON.parse(stdout) as { runs?: { id: string }[] }).runs?.[0]?.id ?? "none";
  // What was typed is shown to who typed it; a key without a shape is known in requests and in the log only.
  const session = planted[0]?.what === "own key" ? "none" : sessionIdOf(1);
  // Errors repeat what they were asked.
  const wrong = planted
    .slice(0, 4)
    .flatMap(({ what, said: words }) => (what === "own key" ? [] : [["remember", words]]));
  for (const line of [...COMMANDS, ...wrong]) {
    for (const more of [[], ["--json"]]) {
      const args = [
        ...line.map((word) => word.replace("{run}", run).replace("{session}", session)),
        ...more,
        "--project",
        SHOP,
      ];
      const answer = await runCommand({ home, env, args });
      produced.push({ where: args.join(" "), bytes: Buffer.from(answer.stdout + answer.stderr) });
    }
  }
  // What we asked for ourselves is no leak; what was answered is.
  return produced.map(({ where, bytes }) => ({
    where: where.startsWith("remember") ? "remember" : where,
    bytes,
  }));
}

async function answered(story: Story): Promise<Produced[]> {
  const produced: Produced[] = [];
  for (const path of [
    ...ROUTES.filter(({ method }) => method === "GET").map(({ path }) => path),
    "/metrics",
  ]) {
    const { text } = await askSocket(story.home.socket, { path });
    produced.push({ where: path, bytes: Buffer.from(text) });
  }
  return produced;
}

interface Ran {
  readonly daemon: Daemon;
  readonly produced: Produced[];
}

/** A daemon over the whole session, and everything it produced. */
async function run(
  story: Story,
  planted: readonly Planted[],
  env: Record<string, string> = {},
): Promise<Ran> {
  const { home } = story;
  const daemon = startDaemon({ home, env });
  await daemon.waitForEvent("daemon:ready");
  const events = await listenToEvents(home.socket);
  await runCommand({ home, env, args: ["sync", "--backfill", "all"] });
  const spoken = [...(await said(story, planted, env)), ...(await answered(story))];
  const heard = { where: "events", bytes: Buffer.from(JSON.stringify(events.events())) };
  daemon.child.signal("SIGHUP");
  await daemon.stop();
  const { stdout, stderr } = { stdout: daemon.child.stdout(), stderr: daemon.child.stderr() };
  const requests = stub.requests.map((request, n) => ({
    where: `request ${n}`,
    bytes: Buffer.from(JSON.stringify([request.body, request.path, request.headers])),
  }));
  const person = (path: string) => path.endsWith(".jsonl") && path.startsWith(home.claudeProjects);
  const files = filesBelow(home.folder.path, (path) => person(path) || path.includes("my-key"));
  const log = { where: "log", bytes: Buffer.from(stdout + stderr) };
  return { daemon, produced: [...spoken, heard, log, ...requests, ...files] };
}

describe("planted secrets (faults 99, 100)", () => {
  it("are nowhere after a run by the rules, and what is no secret was learnt", async () => {
    const story = createStory();
    const planted = plant(1);
    story.config({
      extract: { debounceMs: 200, settleMs: 0 },
      firstStart: { backfillDays: { offline: 3_650 } },
    });
    tell(story, planted);

    const { produced } = await run(story, planted);

    expect(leaks(planted, produced)).toEqual([]);
    expect(story.learnt(SHOP)).toMatch(/tabs/iu);
    expect(produced.length).toBeGreaterThan(50);
  });

  it("are nowhere after a run by a model that was steered to write them", async () => {
    const story = createStory();
    const planted = plant(2);
    story.config({
      provider: "local",
      baseUrl: stub.url,
      extract: { debounceMs: 200, settleMs: 0 },
      firstStart: { backfillDays: { model: 36_500 } },
    });
    tell(story, planted);
    stub.reply(...steeredModel(planted));
    stub.otherwise({ blocks: ["Nothing to keep.", planted[0]?.said ?? ""] });

    const { produced } = await run(story, planted);

    expect(stub.requests.length).toBeGreaterThan(2);
    const seen = stub.requests.filter((_, n) => n === 0);
    expect(leaks(planted, produced)).toEqual([]);
    expect(JSON.stringify(seen[0]?.body)).toContain("[secret:");
    expect(story.learnt(SHOP)).toContain("Squash commits before merging");
  });

  it("are nowhere when requests fail and answers repeat them", async () => {
    const story = createStory();
    const planted = plant(3);
    story.config({
      provider: "local",
      baseUrl: stub.url,
      firstStart: { backfillDays: { model: 36_500 } },
    });
    tell(story, planted);
    const message = planted.map(({ said: words }) => words).join(" ");
    stub.reply({ status: 400, error: { type: "invalid_request_error", message } });
    stub.otherwise({
      status: 500,
      error: { type: "api_error", message },
      headers: { "request-id": planted[10]?.value ?? "" },
    });

    const { produced } = await run(story, planted);

    expect(stub.requests.length).toBeGreaterThan(0);
    expect(leaks(planted, produced)).toEqual([]);
  });

  it("can be seen by this search: it finds them in the transcript, in whatever form", () => {
    const planted = plant(1);
    const [first] = planted;
    const forms = [first?.value ?? "", encodeURIComponent(first?.value ?? "")].map((text) => ({
      where: "x",
      bytes: Buffer.from(text),
    }));
    const coded = {
      where: "b",
      bytes: Buffer.from(Buffer.from(`a${first?.value ?? ""}b`).toString("base64")),
    };

    expect(leaks(planted.slice(0, 1), [...forms, coded])).toHaveLength(3);
  });
});

/** A key without a shape: only its value tells it. */
function ownKey(seed: number): string {
  return createDraw(seed).token("birch<A 4>gate<A 6>way<A 5>");
}

describe("the key engramd itself uses (fault 101)", () => {
  it.each(["variable", "file", "command"] as const)(
    "is nowhere but in the header, read from a %s",
    async (from) => {
      const story = createStory();
      const value = ownKey(from.length);
      const planted: Planted[] = [{ what: "own key", value, said: `Remember ${value} for the gateway.` }];
      const file = join(story.home.home, "my-key");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${value}\n`);
      chmodSync(file, 0o600);
      const keys = { variable: {}, file: { apiKeyFile: file }, command: { apiKeyCommand: `cat ${file}` } }[
        from
      ];
      story.config({
        provider: "anthropic",
        baseUrl: stub.url,
        ...keys,
        firstStart: { backfillDays: { model: 36_500 } },
      });
      tell(story, planted);
      const write = squashWrite(recordIdOf(1), {
        body: `The key is ${value}.\n\n**Why:** a.\n**How to apply:** b.`,
      });
      stub.reply(
        { blocks: [write, value] },
        { status: 401, error: { type: "authentication_error", message: `bad ${value}` } },
      );
      stub.otherwise({ status: 401, error: { type: "authentication_error", message: `bad ${value}` } });
      const env: Record<string, string> = from === "variable" ? { ANTHROPIC_API_KEY: value } : {};

      const { produced } = await run(story, planted, { ...env, ANTHROPIC_LOG: "debug" });

      expect(stub.requests[0]?.key).toBe("present");
      expect(leaks(planted, produced)).toEqual([]);
    },
  );
});

describe("the variables of the SDK (fault 102)", () => {
  it("print nothing in our log and lead nowhere; the host in use is shown, without its user", async () => {
    const story = createStory();
    const planted = plant(4).slice(0, 3);
    const [, , third] = planted;
    const password = createDraw(9).token("<A 5>7<A 8>");
    const withUser = stub.url.replace("http://", `http://ana:${password}@`);
    story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
    tell(story, planted);
    stub.otherwise({ blocks: ["Nothing to keep."] });
    const url = { what: "password of the address", value: password, said: withUser };
    const env = {
      ANTHROPIC_LOG: "debug",
      ANTHROPIC_BASE_URL: withUser,
      ANTHROPIC_CUSTOM_HEADERS: `x-shop: ${third?.value ?? ""}`,
    };

    const { produced } = await run(story, [...planted, url], env);
    const model = produced.find(({ where }) => where.startsWith("model --project"))?.bytes.toString() ?? "";
    const log = produced.find(({ where }) => where === "log")?.bytes.toString() ?? "";

    expect(leaks([...planted, url], produced)).toEqual([]);
    expect(model).toContain(new URL(stub.url).host);
    expect(log).not.toMatch(/\[log_|sending request|x-stainless|anthropic-version/iu);
    expect(log.split("\n").filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
  });
});
