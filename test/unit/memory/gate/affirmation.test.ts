import { describe, expect, it } from "vitest";
import { affirms, reachesProposal } from "../../../../src/memory/gate/affirmation.ts";
import { affirmedQuotes } from "../../../../src/memory/gate/quotes.ts";
import { talk } from "./proposals.ts";

describe("an affirmation", () => {
  it.each([
    "Yes, from now on.",
    "yes please",
    "Yes exactly, keep doing that.",
    "Keep bundling the refactors.",
    "Sure, go ahead. Can you also fix the parser test?",
    "ok",
    "Okay, do that from now on",
    "Sounds good!",
    "Great, always.",
    "Yes, no more Redux.",
    "Ja, ab jetzt immer.",
    "Genau so, gerne.",
    "Einverstanden.",
    "Sí, a partir de ahora.",
    "Vale, hazlo así.",
    "De acuerdo",
    "好的，以后都这样。",
    "对，就这样",
    "可以",
    "はい、今後もそれで。",
    "お願いします",
    "了解です。",
  ])("is %j", (message) => {
    expect(affirms(message)).toBe(true);
  });

  it.each([
    "Let me think.",
    "No.",
    "No, use Prettier.",
    "Yes, but only for the tests.",
    "Yes. But not in the API.",
    "yes, just this once",
    "Ok, for now.",
    "Yes? What is Biome?",
    "Ok. Why not Prettier?",
    "Yes and no.",
    "Sure, maybe later",
    "Right now the build is red",
    "Good question, I will look.",
    "Keep Prettier.",
    "Great, so what does it do?",
    "Hmm, ok",
    "Yesterday it worked",
    "We already use Zustand, leave it.",
    "Ja, aber nicht im Frontend.",
    "Jein.",
    "Nein danke.",
    "Stimmt das?",
    "Sí, pero solo en los tests.",
    "Claro que no.",
    "Si usamos Biome, se rompe.",
    "好，但是测试除外",
    "好像不对",
    "对了，端口改了",
    "让我想想",
    "可以吗？",
    "はい、でも今回だけ。",
    "いいえ",
    "そうですか？",
    "うーん",
    "",
  ])("is not %j", (message) => {
    expect(affirms(message)).toBe(false);
  });
});

describe("a proposal", () => {
  it("is what the message ends with, its question first of all", () => {
    const message = "I always enforce full coverage. Biome; shall I use it from now on? Just say so.";

    expect(reachesProposal(message, "Biome; shall I use it")).toBe(true);
    expect(reachesProposal(message, "coverage. Biome; shall I use it from now on?")).toBe(true);
    expect(reachesProposal(message, "I always enforce full coverage.")).toBe(false);
    expect(reachesProposal("First A. I'll use Biome from now on.", "use Biome")).toBe(true);
    expect(reachesProposal(message, "")).toBe(false);
  });

  const affirmed = (said: ReturnType<typeof talk>, at: readonly number[]) =>
    affirmedQuotes(
      at.map((position) => said.quoteOf(position)),
      said.facts(),
    ).map(({ recordId }) => recordId);

  it("counts when the very next typed message says yes, tools in between or not", () => {
    const said = talk(
      "U: Which formatter?",
      "A: Biome; shall I use it?",
      "T: exit 0",
      "U: Yes, from now on.",
    );

    expect(affirmed(said, [1, 3])).toEqual(["r1"]);
    expect(affirmed(said, [1])).toEqual([]);
  });

  it.each<[what: string, turns: readonly string[], quoted: readonly number[]]>([
    ["another message was typed in between", ["A: Use Redux?", "U: Let me think.", "U: Yes."], [0, 2]],
    ["the assistant said something after it", ["A: Use Redux?", "A: The tests pass.", "U: Yes."], [0, 2]],
    ["another answer came in between", ["A: Use Redux?", "U: Hm.", "A: Use Biome?", "U: Yes."], [0, 3]],
    ["the yes came before it", ["U: Yes.", "A: Use Redux?"], [1, 0]],
    ["the record was not handed in", ["A: Use Redux?", "U: Yes."], [0]],
  ])("does not count when %s", (_what, turns, quoted) => {
    expect(affirmed(talk(...turns), quoted)).toEqual([]);
  });

  it("does not count when the quote stands before what was asked", () => {
    const said = talk("A: I always enforce full coverage. Shall I use Biome?", "U: Yes.");
    const pick = (piece: string) => affirmedQuotes([said.quoteOf(0, piece), said.quoteOf(1)], said.facts());

    expect(pick("I always enforce full coverage.")).toEqual([]);
    expect(pick("Shall I use Biome?")).toHaveLength(1);
  });

  it("does not count when the quoted yes is only a piece of a 'yes, but'", () => {
    const said = talk("A: Use Redux from now on?", "U: Yes, but only for the tests.");
    const evidence = [said.quoteOf(0), said.quoteOf(1, "Yes")];

    expect(affirmedQuotes(evidence, said.facts())).toEqual([]);
  });

  it("does not count for a model when nobody knows the order", () => {
    const said = talk("A: Use Biome from now on?", "U: Yes.");
    const { heard: _unknown, ...facts } = said.facts();
    const evidence = [said.quoteOf(0), said.quoteOf(1)];

    expect(affirmedQuotes(evidence, facts)).toEqual([]);
    expect(affirmedQuotes(evidence, { ...facts, producer: "offline" })).toHaveLength(1);
  });

  it("does not count when a yes of another session is quoted", () => {
    const said = talk("A: Use Biome from now on?", "U: Yes.");
    const answer = { ...said.quoteOf(1), session: { agent: "codex", id: "s2", projectId: "p1" } as const };

    expect(affirmedQuotes([said.quoteOf(0), answer], said.facts())).toEqual([]);
  });
});
