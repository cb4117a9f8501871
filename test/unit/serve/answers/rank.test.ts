import { describe, expect, it } from "vitest";
import type { Memory } from "../../../../src/domain/memories.ts";
import { hasTerms, rankMemories } from "../../../../src/serve/answers/rank.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 30;

function memory(name: string, description = "", body = ""): { readonly memory: Memory } {
  const rest = { confirmed: undefined, modified: undefined, originSessionId: undefined, origin: undefined };
  return {
    memory: {
      ...rest,
      file: `${name}.md`,
      name,
      description,
      body,
      type: "project",
      frontmatter: "ok",
      hash: "h",
      mtimeMs: 0,
      evidence: [],
      links: [],
    },
  };
}

type Item = ReturnType<typeof memory>;

const names = (items: readonly Item[], words: string) =>
  rankMemories(items, words).map(({ item }) => item.memory.name);

function scoreOf(item: Item, words: string): number {
  return rankMemories([item, memory("zzz")], words)[0]?.score ?? 0;
}

describe("a search", () => {
  it("puts the name before the description and that before the text", () => {
    const items = [
      memory("a", "", "We deploy on Fridays."),
      memory("b", "how to deploy"),
      memory("deploy-rules"),
      memory("d", "nothing of it"),
    ];

    const ranked = rankMemories(items, "deploy");

    expect(ranked.map(({ item }) => item.memory.name)).toEqual(["deploy-rules", "b", "a"]);
    expect(ranked.map(({ score }) => score)).toEqual([1, 0.9, 0.6]);
    expect(ranked.map(({ matches }) => matches)).toEqual([["name"], ["description"], ["body"]]);
  });

  it("prefers a whole word to its start, that to another form, and that to a piece inside", () => {
    const items = ["the pytest run", "testing it", "test it", "tested only"].map((text, at) =>
      memory(`m${at}`, text),
    );

    expect(names(items, "test")).toEqual(["m2", "m1", "m3", "m0"]);
    expect(scoreOf(memory("x", "it deployed well"), "deploys")).toBeCloseTo(0.9 * 0.6);
    expect(scoreOf(memory("x", "a deplorable state"), "deploys")).toBe(0);
    expect(scoreOf(memory("x", "at it"), "t")).toBe(0);
  });

  it("counts a rare word more than one that every memory has", () => {
    const items = [
      ...Array.from({ length: 20 }, (_, at) => memory(`m${at}`, "how we run the things")),
      memory("rare", "migrations"),
    ];

    expect(names(items, "how we run the migrations")[0]).toBe("rare");
  });

  it("leaves out what shares only a word that all have", () => {
    const items = [memory("shop-deploy", "deploy the shop"), memory("other", "", "the other thing")];

    expect(names(items, "deploy the shop")).toEqual(["shop-deploy"]);
    expect(names(items, "the")).toHaveLength(2);
  });

  it("finds text without blanks by substring, a longer question by its pairs", () => {
    const items = [
      memory("zh", "提交之前先跑单元测试"),
      memory("ja", "コミットの前にテストを実行する"),
      memory("ko", "커밋하기 전에 테스트를 실행"),
      memory("th", "รันการทดสอบก่อนคอมมิต"),
      memory("en", "run tests first"),
    ];

    expect(names(items, "单元测试")).toEqual(["zh"]);
    expect(names(items, "テスト")).toEqual(["ja"]);
    expect(names(items, "테스트")).toEqual(["ko"]);
    expect(names(items, "ทดสอบ")).toEqual(["th"]);
    expect(names(items, "先跑测试")).toEqual(["zh"]);
    expect(names(items, "数据库")).toEqual([]);
  });

  it("does not care for case, accents, width and invisible characters, but tells kana apart", () => {
    expect(scoreOf(memory("x", "Über die Café-Größe"), "uber CAFE")).toBeGreaterThan(0.8);
    expect(scoreOf(memory("x", "ｄｅｐｌｏｙ"), "deploy")).toBeGreaterThan(0.8);
    expect(scoreOf(memory("x", "de\u200bploy"), "deploy")).toBeGreaterThan(0.8);
    expect(scoreOf(memory("x", "правило тестов"), "ПРАВИЛО")).toBeGreaterThan(0.8);
    expect(scoreOf(memory("x", "かき"), "がき")).toBe(0);
  });

  it("looks for nothing where there are no words", () => {
    expect(hasTerms(" -- !? 🙂 \u0000")).toBe(false);
    expect(hasTerms("x")).toBe(true);
  });

  it("stays quick over many memories and the longest question", async () => {
    const text = "lorem ipsum dolor sit amet consectetur adipiscing elit ".repeat(16);
    const items = Array.from({ length: 2_000 }, (_, at) => memory(`m-${at}`, `about ${at}`, text));
    const words = Array.from({ length: 200 }, (_, at) => `question${at}`).join(" ");

    const cost = await costOf(
      () => {
        rankMemories(items, "dolor elit 77");
        rankMemories([memory("x", "", "a".repeat(64_000))], `${"a".repeat(900)} ${words}`);
      },
      { enough: READINGS_MAX },
    );

    expect(cost).toBeLessThan(READINGS_MAX);
  });
});
