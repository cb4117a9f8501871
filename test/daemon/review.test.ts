// The inbox as a person meets it: what waits, the yes and the no to it, what becomes of it with time, and remarks that
// are said a second time.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DecideRequest, InboxItemView } from "../../src/domain/inbox.ts";
import type { SessionOptions } from "../helpers/claude-transcript.ts";
import { createTranscript, sessionIdOf } from "../helpers/claude-transcript.ts";
import { createManualClock } from "../helpers/manual-clock.ts";
import { DOCUMENTS } from "../schemas/documents.ts";
import type { Story } from "./story.ts";
import { createStory, MOCKS, SHOP, TABS } from "./story.ts";

const LATER = Date.UTC(2026, 4, 5, 9);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Too weak for the rules to save. */
const PNPM = "We decided to use pnpm instead of npm for this repo.";

function clocked(mode?: string) {
  const clock = createManualClock({ startAt: LATER });
  const story = createStory({}, clock);
  if (mode !== undefined) story.config({ projects: { [SHOP]: { mode } } });
  return { story, clock };
}

/** A session of its own in which these things are typed. */
function say(story: Story, number: number, texts: readonly string[], options: SessionOptions = {}): string {
  const sessionId = sessionIdOf(number);
  const startAt = LATER - 5 * HOUR_MS + number * 10 * 60_000;
  const session = createTranscript({ cwd: SHOP, sessionId, firstNumber: 100 * number, startAt, ...options });
  for (const text of texts) session.user(text).assistant("ok");
  return story.transcript(SHOP, `${sessionId}.jsonl`, session.text());
}

async function waiting(story: Story, id?: string): Promise<readonly InboxItemView[]> {
  const found = await story.ask((service) => service.inbox(id === undefined ? {} : { id }));
  expect(DOCUMENTS["review"]?.safeParse(found).error).toBeUndefined();
  return found.items;
}

async function decide(story: Story, what: "accept" | "reject", request: DecideRequest) {
  const reply = await story.ask((service) =>
    what === "accept" ? service.acceptItems(request) : service.rejectItems(request),
  );
  expect(DOCUMENTS["review accept"]?.safeParse(reply).error).toBeUndefined();
  return reply.items;
}

/** What is on disk of the one inbox. */
function stored(story: Story): string {
  const folder = join(story.home.stateDir, "inbox");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}

/** One project that only proposes, with one proposal. */
async function proposed(text = TABS) {
  const { story, clock } = clocked("propose");
  say(story, 1, [text]);
  await story.sync();
  const [item] = await waiting(story);
  if (item === undefined) throw new Error("nothing waits");
  return { story, clock, item };
}

describe("a proposal", () => {
  it("waits with its words, its reason and its day, and nothing is in the memory folder", async () => {
    const { story, item } = await proposed();

    expect(existsSync(story.memoryDir(SHOP))).toBe(false);
    expect(item).toMatchObject({
      kind: "proposal",
      project: SHOP,
      why: { code: "propose-mode" },
      expires: new Date(LATER + 30 * DAY_MS).toISOString(),
      changes: [{ op: "create", type: "feedback", patch: null }],
      evidence: [{ session: sessionIdOf(1), by: "user", quote: TABS }],
    });
    const [shown] = await waiting(story, item.id.slice(0, 4));
    expect(shown?.changes[0]?.patch).toContain("+From now on always use tabs");
    expect(shown?.blocked).toBeNull();
    const told = await story.ask((service) => service.why({ what: sessionIdOf(1), project: SHOP }));
    expect(told).toMatchObject({
      messages: [{ outcome: "waiting", reason: { code: "proposed" }, until: item.expires }],
    });
  });

  it("is accepted as a run that history lists and undo undoes", async () => {
    const { story, clock, item } = await proposed();
    await clock.advance(HOUR_MS);

    const [done] = await decide(story, "accept", { ids: item.id });

    expect(done).toMatchObject({ outcome: "accepted", files: story.topics(SHOP) });
    expect(story.learnt(SHOP)).toContain("tabs for indentation");
    expect(story.index(SHOP)).toContain(done?.files[0] ?? "?");
    expect(await waiting(story)).toEqual([]);
    const { runs } = await story.ask((service) => service.history({}));
    expect(runs).toMatchObject([
      { id: done?.run, kind: "review", undoable: true },
      { kind: "extract", files: [] },
    ]);
    await clock.advance(HOUR_MS);
    await story.ask((service) => service.undo({ run: done?.run ?? "" }));
    await story.sync({ backfillDays: "all" });
    expect(story.topics(SHOP)).toEqual([]);
    expect(await waiting(story)).toEqual([]);
  });

  it("said again in a later session is not proposed again: it grows", async () => {
    const { story, item } = await proposed();
    say(story, 2, [TABS]);

    const report = await story.sync();

    expect(report.memories.candidates).toBe(0);
    expect(await waiting(story)).toMatchObject([{ id: item.id, sessions: 2 }]);
  });

  it("is lost and doubled by no repeat: the cursor that never moved makes the same work again", async () => {
    const { story, item } = await proposed();
    const before = stored(story);
    rmSync(join(story.home.stateDir, "cursors"), { recursive: true });

    await story.sync();

    expect(stored(story)).toBe(before);
    expect((await waiting(story)).map(({ id }) => id)).toEqual([item.id]);
  });

  it("goes by itself after its time, and is counted", async () => {
    const { story, clock } = await proposed();
    await clock.advance(31 * DAY_MS);

    expect(await story.ask((service) => service.inbox({}))).toMatchObject({
      items: [],
      expired: 1,
      dropped: 0,
    });
  });

  it("of a fact that has come into the folder meanwhile confirms it", async () => {
    const { story, clock, item } = await proposed();
    await story.ask((service) => service.remember({ text: TABS, project: SHOP }));
    await clock.advance(HOUR_MS);

    const [done] = await decide(story, "accept", { ids: item.id });

    expect(done).toMatchObject({ outcome: "accepted" });
    expect(story.topics(SHOP)).toHaveLength(1);
  });
});

describe("a rejected item", () => {
  it("never comes back from the same words, and does with words typed anew", async () => {
    const { story, clock, item } = await proposed();
    const [done] = await decide(story, "reject", { ids: item.id });
    expect(done).toMatchObject({ outcome: "rejected", files: [] });
    await clock.advance(HOUR_MS);
    rmSync(join(story.home.stateDir, "cursors"), { recursive: true });
    say(story, 2, [TABS]);

    await story.sync({ backfillDays: "all" });
    expect(await waiting(story)).toEqual([]);
    const told = await story.ask((service) => service.why({ what: sessionIdOf(1), project: SHOP }));
    expect(told).toMatchObject({ messages: [{ outcome: "taken-back" }] });

    await clock.advance(DAY_MS);
    say(story, 3, [TABS], { startAt: LATER + 20 * HOUR_MS });
    await story.sync();
    expect(await waiting(story)).toHaveLength(1);
  });

  it("holds for a candidate as well, and keeps no word of it", async () => {
    const { story } = clocked();
    say(story, 1, [PNPM]);
    await story.sync();
    const [item] = await waiting(story);
    expect(item).toMatchObject({ kind: "candidate", why: { code: "said-once" } });

    await decide(story, "reject", { all: true, project: SHOP });
    rmSync(join(story.home.stateDir, "cursors"), { recursive: true });
    await story.sync();

    expect(await waiting(story)).toEqual([]);
    expect(stored(story)).not.toContain("pnpm");
  });
});

describe("a candidate", () => {
  it("typed again in another session is saved, resting on both", async () => {
    const { story } = clocked();
    say(story, 1, [PNPM]);
    expect((await story.sync()).memories).toMatchObject({ created: 0, candidates: 1 });
    say(story, 2, [PNPM]);

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1, candidates: 0 });
    expect(story.learnt(SHOP)).toContain("pnpm");
    const [memory] = (await story.ask((service) => service.memories({ project: SHOP }))).memories;
    expect(memory?.evidence).toHaveLength(2);
    expect(await waiting(story)).toEqual([]);
    rmSync(join(story.home.stateDir, "cursors"), { recursive: true });
    expect((await story.sync()).memories).toMatchObject({ created: 0, candidates: 0 });
    expect(await waiting(story)).toEqual([]);
  });

  it("typed again in the same session waits on", async () => {
    const { story } = clocked();
    say(story, 1, [PNPM, "thanks", PNPM]);

    expect((await story.sync()).memories).toMatchObject({ created: 0, candidates: 1 });
  });

  it("is not saved by a fork or a resumed session that repeats the first one", async () => {
    const { story } = clocked();
    say(story, 1, [PNPM]);
    await story.sync();
    const startAt = LATER - 5 * HOUR_MS + 10 * 60_000;
    const copied = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 100, startAt })
      .user(PNPM)
      .assistant("ok")
      .user(PNPM)
      .assistant("ok");
    story.transcript(SHOP, `${sessionIdOf(2)}.jsonl`, copied.text());

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 0, candidates: 0 });
    expect(await waiting(story)).toMatchObject([{ kind: "candidate", sessions: 2 }]);
  });

  it("is not saved because an agent or a paste says it", async () => {
    const { story } = clocked();
    say(story, 1, [PNPM]);
    await story.sync();
    const other = createTranscript({ cwd: SHOP, sessionId: sessionIdOf(2), firstNumber: 200 })
      .user("look at this")
      .assistant(PNPM)
      .user(`> ${PNPM}\n\n\`\`\`\n${PNPM}\n\`\`\``)
      .assistant("ok");
    story.transcript(SHOP, `${sessionIdOf(2)}.jsonl`, other.text());

    expect((await story.sync()).memories).toMatchObject({ created: 0, candidates: 0 });
    expect(story.topics(SHOP)).toEqual([]);
  });

  it("accepted by a person is a memory; where the mode is propose a second sighting is a proposal", async () => {
    const { story } = clocked("propose");
    say(story, 1, [PNPM, MOCKS]);
    say(story, 2, [PNPM]);
    await story.sync();

    const items = await waiting(story);
    expect(items.map(({ kind }) => kind)).toEqual(["proposal", "proposal"]);
    await decide(story, "accept", { all: true, project: SHOP });

    expect(story.topics(SHOP)).toHaveLength(2);
  });
});

describe("text that means harm", () => {
  it("is stored without its secrets and told without its control characters", async () => {
    const { story } = clocked("propose");
    const secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
    say(story, 1, [
      `Remember that the \u001b]0;pwned\u0007\u202edeploy token ${secret} is in the vault.`,
      MOCKS,
    ]);

    await story.sync();

    expect(stored(story)).not.toContain(secret);
    expect(await waiting(story)).toHaveLength(1);
  });
});

describe("a decision", () => {
  it("about nothing, about what is not there, or about too much says so", async () => {
    const { story } = await proposed();
    say(story, 2, [MOCKS]);
    await story.sync();

    await expect(decide(story, "accept", {})).rejects.toMatchObject({ code: "bad-review" });
    await expect(decide(story, "accept", { all: true })).rejects.toMatchObject({ code: "bad-review" });
    await expect(decide(story, "reject", { ids: "zzzz" })).rejects.toMatchObject({ code: "unknown-item" });
    expect(await waiting(story)).toHaveLength(2);
    mkdirSync(join(story.home.home, "elsewhere"));
    expect(await decide(story, "accept", { all: true, project: join(story.home.home, "elsewhere") })).toEqual(
      [],
    );
  });
});
