// What a memory says: texts that must be found beside those that must not.
import { describe, expect, it } from "vitest";
import { brief, findings, one, topic } from "./lint-folder.ts";

function codesOf(body: string): readonly string[] {
  return findings(one(body)).map(({ code }) => code);
}

interface Table {
  readonly code: string;
  readonly found: readonly string[];
  readonly sound: readonly string[];
}

const TABLES: readonly Table[] = [
  {
    code: "relative-date",
    found: [
      "The freeze begins tomorrow.",
      "We ship next week.",
      "It broke three weeks ago.",
      "Das Release ist nächste Woche.",
      "Gestern wurde der Host umgestellt.",
      "La migración es la próxima semana.",
      "下周发布。",
      "来週リリースします。",
      "The demo is on Friday.",
      "The customer wants it by tomorrow.",
      "周五发布。",
    ],
    sound: [
      "The freeze begins on 2026-05-09.",
      "Never deploy on a Friday.",
      "Standup every Monday at nine.",
      "The job is called `yesterday` and runs at night.",
      "The demo is on Friday 2026-05-08.",
      "Paid on the 5th of each month, as of today (2026-05-04).",
      'The filter is labelled "last week".',
      "No releases on Fridays.\n\nFrom Thursday on only fixes.",
      "Freitags wird nicht ausgeliefert.\n\nAb Donnerstag nur Fehler beheben.",
      "Los lunes hay congelación hasta el martes a las diez.",
      "周五下午不要部署。\n\n周四之前发布。",
      "金曜日の夕方にはデプロイしない。",
      "本番は毎月第二水曜日にリリースする。",
      "```\necho tomorrow\n```\nThat is how it is called.",
    ],
  },
  {
    code: "line-citation",
    found: [
      "The bound stands in `src/queue.ts:123`.",
      "See queue.py#L40 for it.",
      "Look at line 88 of the parser.",
      "Siehe Zeile 12.",
      "见第 30 行。",
    ],
    sound: [
      "The bound stands in `src/queue.ts`.",
      "The server listens on localhost:8080.",
      "The API is at api.example.com:443.",
      "It starts at 12:30.",
    ],
  },
  {
    code: "dead-link",
    found: ["See [[nowhere]].", "Like [[port]] and [[fact]].", "Also [[nowhere|the other one]]."],
    sound: [
      "See [[fact]].",
      "See [[a-fact]] and [[Fact]] and [[fact.md]].",
      "The test is `[[nowhere]]`.",
      "```\n[[ -f x ]] && [[nowhere]]\n```",
      "The team has [[team/host]].",
    ],
  },
];

for (const { code, found, sound } of TABLES) {
  describe(code, () => {
    it.each(found)("is found in %j", (text) => {
      expect(codesOf(text)).toEqual([code]);
    });
    it.each(sound)("is not found in %j", (text) => {
      expect(codesOf(text)).toEqual([]);
    });
  });
}

describe("missing-reasons", () => {
  const codes = (body: string) =>
    findings({
      "MEMORY.md": "- [A fact](fact.md) — what it says\n",
      "fact.md": topic(body, { type: "feedback" }),
    }).map(({ code }) => code);

  it.each([
    "Write commits in English.\n\nWhy: the team is international.\nHow to apply: every commit.",
    "Write commits in English.\n\n**Why**: the team is.\n**When to apply**: every commit.",
    "Write commits in English.\n\n## Why\n\nThe team is.\n\n## How to apply\n\nEvery commit.",
    "Auf Englisch.\n\n**Warum:** das Team.\n**Anwendung:** bei jedem Commit.",
    "En inglés.\n\n**Por qué:** el equipo.\n**Cómo aplicarlo:** siempre.",
    "用英文写提交。\n\n**为什么:** 团队。\n**如何应用：** 每次。",
    "英語で書く。\n\n**理由:** 国際的。\n**適用:** 毎回。",
  ])("is not found where they stand in words of one's own: %j", (body) => {
    expect(codes(body)).toEqual([]);
  });

  it.each([
    "Write commits in English.",
    "Why we write commits in English is no secret.\n\nHow to apply for a job: ask Ana.",
    "Write commits in English.\n\nWhy:\n\nHow to apply:\n",
  ])("is found: %j", (body) => {
    expect(codes(body)).toEqual(["missing-reasons"]);
  });
});

describe("a finding in a text", () => {
  it("names the whole place", () => {
    const [found] = findings(one("The bound stands in `src/queue.ts:123`."));

    expect(found?.message).toContain('"src/queue.ts:123"');
  });

  it("names the line of the file, also behind blank lines, a second block and in a file of CRLF", () => {
    const body = "\n\nA fact.\n\nWe ship next week.";
    const text = topic(body);
    const files = {
      "plain.md": text,
      "crlf.md": text.replace("a-fact", "b-fact").replaceAll("\n", "\r\n"),
      "two.md": `---\ntitle: x\n---\n${text.replace("a-fact", "c-fact")}`,
      "MEMORY.md": "- [P](plain.md)\n- [C](crlf.md)\n- [T](two.md)\n",
    };

    const dates = findings(files).filter(({ code }) => code === "relative-date");

    expect(brief(dates)).toEqual([
      "relative-date crlf.md:10",
      "relative-date plain.md:10",
      "relative-date two.md:13",
    ]);
  });

  it("never holds what a terminal would obey, and is never long", () => {
    const hostile = "\u001b]0;pwned\u0007\u202eevil\u2066";
    const body = `See [[${hostile}${"x".repeat(150)}]] tomorrow${hostile}.`;

    const found = findings({
      [`${"long".repeat(20)}.md`]: topic(body, { name: "odd", description: hostile }),
      "MEMORY.md": `- [${hostile}](gone.md) — ${hostile}\n`,
    });

    expect(found.length).toBeGreaterThan(2);
    for (const { message } of found) {
      // oxlint-disable-next-line no-control-regex -- naming them is the point
      expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u);
      expect(message.length).toBeLessThan(320);
    }
  });

  it("is looked for in the description too, once where the body begins with it", () => {
    const files = (description: string, body: string) => ({
      "fact.md": topic(body, { description }),
      "MEMORY.md": "- [Fact](fact.md)\n",
    });

    expect(brief(findings(files("ships next week", "A fact.")))).toEqual(["relative-date fact.md"]);
    expect(brief(findings(files("Ships next week.", "Ships next week.")))).toEqual([
      "relative-date fact.md:6",
    ]);
  });
});

describe("missing-reasons", () => {
  const WHY = "**Why:** the review takes less time.";
  const HOW = "**How to apply:** in every commit.";
  const codes = (body: string, type: string) =>
    findings({ "fact.md": topic(body, { type }), "MEMORY.md": "- [Fact](fact.md)\n" });

  it.each(["feedback", "project"])("is found in %s without why or how to apply, and says which", (type) => {
    expect(codes("Use tabs.", type)).toMatchObject([{ code: "missing-reasons", fixable: false }]);
    expect(codes(`Use tabs.\n\n${WHY}`, type)[0]?.message).not.toContain("Why:");
    expect(codes(`Use tabs.\n\n${WHY}`, type)[0]?.message).toContain("How to apply:");
    expect(codes(`Use tabs.\n\n${WHY}\n${HOW}`, type)).toEqual([]);
  });

  it.each(["user", "reference"])("is not asked of %s", (type) => {
    expect(codes("Use tabs.", type)).toEqual([]);
  });
});
