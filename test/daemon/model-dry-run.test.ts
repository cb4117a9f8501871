// What `sync --dry-run` says before a model is paid, and what the pass then takes: the built program and its daemon, on
// genuine sessions where they are there, and on a Japanese one. Offline first and a model later: each session once.
import { createHash } from "node:crypto";
import { chmodSync, cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SyncReport } from "../../src/domain/service.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { runCommand } from "../helpers/daemon-process.ts";
import { newPartOf } from "../helpers/model-memory.ts";
import type { ModelStub, StubRequest } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import { sampleData } from "../helpers/sample-data.ts";
import { started } from "./running.ts";
import type { Story } from "./story.ts";
import { createStory, S1, SHOP } from "./story.ts";

const homes = ["samples/claude-code", "samples/claude-code-2.1.197"].flatMap(
  (name) => sampleData(name) ?? [],
);
/** Room between what is estimated and what a server counts. */
const SHARE = 0.2;
const BACKFILL = ["sync", "--backfill", "all", "--json"];
let stub: ModelStub;
/** What the server counted, all requests together. */
let counted: number;

beforeEach(async () => {
  stub = await startModelStub();
  counted = 0;
  stub.otherwise((request) => {
    const tokens = tokensOf(request);
    counted += tokens;
    const usage = { input_tokens: tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    return { blocks: ["Nothing to keep."], usage };
  });
});
afterEach(() => stub.close());

/** As a vendor counts all that is sent: a wide character is a token, four others are one. */
function tokensOf({ body: { tools, system, messages } }: StubRequest): number {
  const text = JSON.stringify([tools, system, messages]);
  const wide = text.match(/[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]/gu)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}

/** Both client versions' sessions in one home. The samples may be read-only; the copies are not. */
function storyOfSamples(): Story {
  const story = createStory();
  for (const home of homes) {
    const from = join(home, ".claude/projects");
    for (const name of readdirSync(from, { recursive: true, encoding: "utf8" })) {
      if (!statSync(join(from, name)).isFile()) continue;
      cpSync(join(from, name), join(story.home.claudeProjects, name));
      chmodSync(join(story.home.claudeProjects, name), 0o600);
    }
  }
  return story;
}

function settings(provider: "local" | "offline"): object {
  const target = provider === "local" ? { provider, baseUrl: stub.url } : { provider };
  return { ...target, extract: { headless: true }, budget: { runsPerHour: 1_000 } };
}

/** Every file of the home but our own state, with its hash. */
function outside({ home: { home, stateDir } }: Story): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const path = join(home, name);
    if (path.startsWith(`${stateDir}/`) || !statSync(path).isFile()) continue;
    found.set(name, createHash("sha256").update(readFileSync(path)).digest("hex"));
  }
  return found;
}

async function asCommand({ home }: Story, ...args: string[]): Promise<SyncReport> {
  const { stdout, stderr, code } = await runCommand({ home, args: [...BACKFILL, ...args] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as SyncReport;
}

/** Dry without a daemon and through it, then for once in earnest. */
async function estimatedAndPaid(story: Story): Promise<{ dry: SyncReport; real: SyncReport }> {
  story.config(settings("local"));
  const before = outside(story);
  const alone = await asCommand(story, "--dry-run");
  const daemon = await started(story);
  const dry = await asCommand(story, "--dry-run");
  expect(dry).toMatchObject({ estimate: alone.estimate, sessions: alone.sessions });
  expect(stub.requests).toEqual([]);
  expect(outside(story)).toEqual(before);
  const real = await asCommand(story);
  await daemon.stop();
  return { dry, real };
}

function expectClose({ dry, real }: { readonly dry: SyncReport; readonly real: SyncReport }): void {
  const told = dry.estimate?.inputTokens ?? 0;
  expect(dry.estimate?.requests).toBe(stub.requests.length);
  expect(Math.abs(told - counted), `${told} estimated, ${counted} counted`).toBeLessThanOrEqual(
    SHARE * counted,
  );
  expect(real.sessions).toEqual({ ...dry.sessions, processed: dry.sessions.new });
}

describe.skipIf(homes.length < 2)("a dry run over genuine sessions", () => {
  it("sends and changes nothing, and the pass stays within 20 % of what it said", async () => {
    const told = await estimatedAndPaid(storyOfSamples());

    expectClose(told);
    expect(told.dry.sessions).toEqual({ seen: 20, new: 20, processed: 0 });
  });

  it("is true as well where rules have read them before: a model then reads each session once", async () => {
    const story = storyOfSamples();
    story.config(settings("offline"));
    const offline = await asCommand(story);
    expect(offline.sessions.processed).toBe(20);
    const kept = outside(story);

    const told = await estimatedAndPaid(story);

    expectClose(told);
    expect(told.real.agents).toEqual(offline.agents);
    const shown = stub.requests.flatMap((request) => recordsIn(newPartOf(request)));
    expect(shown).toEqual([...new Set(shown)]);
    expect(shown.length).toBeGreaterThanOrEqual(offline.agents["claude-code"]?.typedMessages ?? 0);
    expect(told.real.memories).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    kept.delete(".config/engramd/config.json");
    const now = outside(story);
    now.delete(".config/engramd/config.json");
    expect(now).toEqual(kept);
    expect(await asCommand(story)).toMatchObject({ runs: [], records: 0, sessions: { new: 0 } });
  });
});

it("a dry run over Japanese sessions is as close where a wide character counts as a token", async () => {
  const story = createStory();
  const session = createTranscript({ cwd: SHOP });
  for (let turn = 0; turn < 60; turn++) {
    session.user(`${turn}番目の依頼です。\`src/page${turn}.ts\`の見出しを直して、テストも通してください。`);
    session.toolCall("Bash", { command: `npm test -- page${turn}` });
    session.toolResult(`Tests 12 passed\n${"ok ".repeat(200)}`);
    session.assistant(
      "見出しを直しました。テストは全部通っています。ほかに直すところはありますか。".repeat(3),
    );
  }
  story.transcript(SHOP, S1, session.text());

  const told = await estimatedAndPaid(story);

  expectClose(told);
  expect(counted).toBeGreaterThan(5_000);
});

/** Ids of the records a text shows. */
function recordsIn(text: string): string[] {
  return text.match(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu) ?? [];
}
