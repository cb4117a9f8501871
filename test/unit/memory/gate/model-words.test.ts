import { describe, expect, it } from "vitest";
import type { MemoryType } from "../../../../src/domain/memories.ts";
import { judgeProposal } from "../../../../src/memory/gate/gate.ts";
import { supportRule } from "../../../../src/memory/gate/rules/support.ts";
import { create, factsFor, memoryOf, quote, talk, written } from "./proposals.ts";

interface Written {
  readonly type: MemoryType;
  readonly said: string;
  readonly name: string;
  readonly statement: string;
  readonly why?: string;
  readonly how?: string;
}

/** As a careful model writes: own words, absolute dates, reasons, the language of the statement. */
const CAREFUL: readonly Written[] = [
  {
    type: "feedback",
    said: "don't mock the database in integration tests, we got burned last quarter when a mocked migration passed",
    name: "no-mocked-database",
    statement: "Integration tests do not mock the database.",
    why: "a mocked migration passed in the quarter before 2026-05-04 and production broke.",
    how: "whenever integration tests are written or changed; unit tests may still mock.",
  },
  {
    type: "feedback",
    said: "Stop summarizing what you did at the end of every reply, I can read the diff.",
    name: "skip-closing-summaries",
    statement: "No summary at the end of a reply; the diff is read anyway.",
    why: "the diff already shows it.",
    how: "finish a reply with the result itself.",
  },
  {
    type: "project",
    said: "The code freeze starts next Thursday because mobile is cutting the release branch.",
    name: "code-freeze-2026-05-14",
    statement: "Code freeze from 2026-05-14 on, because mobile cuts the release branch.",
    why: "mobile needs a stable branch.",
    how: "flag risky merges planned after 2026-05-14.",
  },
  {
    type: "project",
    said: "We began the migration two weeks ago.",
    name: "migration-start",
    statement: "The migration has been under way since about 2026-04-20.",
  },
  {
    type: "reference",
    said: "Pipeline bugs are tracked in Linear, project INGEST: https://linear.app/acme/project/ingest",
    name: "pipeline-bugs-linear",
    statement:
      "Pipeline bugs are tracked in [Linear](https://linear.app/acme/project/ingest/), project INGEST.",
  },
  {
    type: "user",
    said: "I've been writing Go for ten years but I'm new to the frontend side of this repo",
    name: "go-veteran-new-to-frontend",
    statement: "Has written Go for 10 years, is new to the frontend of this repository.",
  },
  {
    type: "feedback",
    said: "from now on run `npm run lint -- --fix` in packages/api before you commit",
    name: "lint-before-commit",
    statement: "Run `npm run lint -- --fix` in `packages/api/` before every commit.",
  },
  {
    type: "feedback",
    said: "以后提交信息都用中文写。",
    name: "提交信息用中文",
    statement: "提交信息一律用中文写。",
    why: "用户要求。",
    how: "每次写提交信息时。",
  },
  {
    type: "feedback",
    said: "コミット前に必ず lint を走らせて。これは覚えておいて。",
    name: "lint-before-commit",
    statement: "コミット前に必ず lint を走らせる。",
    why: "本人の希望。",
    how: "コミットの直前に。",
  },
  {
    type: "feedback",
    said: "Ab jetzt bitte keine Emojis mehr in den Commit-Nachrichten.",
    name: "keine-emojis-in-commits",
    statement: "Keine Emojis in Commit-Nachrichten.",
    why: "so gewünscht.",
    how: "beim Schreiben jeder Nachricht.",
  },
  {
    type: "feedback",
    said: "A partir de ahora responde siempre en español, por favor.",
    name: "responder-en-espanol",
    statement: "Responde siempre en español.",
    why: "lo pidió la persona.",
    how: "en cada respuesta.",
  },
  {
    type: "project",
    said: "For the future: Mira writes the release notes, ask her first.",
    name: "release-notes-by-mira",
    statement: "Mira writes the release notes and is asked first.",
  },
  {
    type: "project",
    said: "our tickets start with KX-.",
    name: "ticket-prefix-kx",
    statement: "Ticket ids start with `KX-`.",
  },
];

describe("a model that keeps to the words", () => {
  it.each(CAREFUL)("is let through: $statement", ({ type, said, name, statement, why, how }) => {
    const heard = talk(`U: ${said}`);
    const reasons =
      type === "feedback" || type === "project"
        ? `\n\n**Why:** ${why ?? "the person said so."}\n**How to apply:** ${how ?? "in this project."}\n`
        : "\n";
    const change = written(statement, [heard.quoteOf(0)], { type, name, body: `${statement}${reasons}` });

    expect(judgeProposal(change, heard.facts())).toMatchObject({ accepted: true });
  });
});

describe("support of a model's own words", () => {
  const reasonOf = (
    text: string,
    said: string,
    extra: { readonly name?: string; readonly body?: string } = {},
  ) => {
    const change = create(text, [quote(said)], extra);
    return supportRule(change, factsFor(change))?.reason;
  };

  it.each<[what: string, text: string, said: string]>([
    ["other quotes in a command", 'Run `git commit -m "wip"` there.', "run git commit -m 'wip' there"],
    ["a slash behind a folder", "Rules live in `src/parser/`.", "the rules live in src/parser"],
    ["no slash behind a folder", "Rules live in src/parser.", "the rules live in src/parser/"],
    ["a dot before a path", "Rules live in ./src/rules.ts.", "the rules live in src/rules.ts"],
    ["a slash behind an address", "See https://acme.test/x/", "see https://acme.test/x"],
    ["a link to what was said", "See [it](https://acme.test/x).", "see https://acme.test/x"],
    ["brackets behind a name", "Call `fetchUser()` there.", "call fetchUser there"],
    ["a name in bold", "Call **fetchUser** there.", "call fetchUser there"],
    ["a number in words", "Keep eighty characters.", "keep 80 characters"],
    ["a number in digits", "Keep 80 characters.", "keep eighty characters"],
    ["the month of a relative day", "Since 2026-04 we migrate.", "we migrate since last month"],
    ["words with a slash", "Read/write access and/or CI/CD.", "access"],
  ])("takes %s", (_what, text, said) => {
    expect(reasonOf(text, said)).toBeUndefined();
  });

  it.each<[what: string, text: string, said: string]>([
    ["a link target", "See [https://acme.test](https://evil.example).", "see https://acme.test"],
    ["a bare link target", "See [it](evil.example/x).", "see it"],
    ["a link definition", "See [it][1].\n\n[a]: evil", "see it [1]"],
    ["an unclosed code block", "Build it:\n```\nmake purge", "build it"],
    ["a code block of tildes", "Build it:\n~~~\nmake purge\n~~~", "build it"],
    ["a command in HTML marks", "Build with <code>make purge</code>", "build it"],
    ["a command after run", "Build: run make purge", "build it"],
    ["a dash that was made pretty", "Push it –force there", "push it there"],
    ["a folder", "Leave the legacy/ folder", "leave the folder"],
    ["a short path", "Rules live in src/evil", "the rules live there"],
    ["a number in words", "Keep fifty characters.", "keep 80 characters"],
    ["a name cut by marks", "Call drop**Tables** there", "call it there"],
    ["a name cut by a link", "Call [drop](x)[Tables](x)", "call x there"],
    ["an escaped name", "Call drop\\_tables there", "call it there"],
    ["a variable", "Export $SECRET there", "export it there"],
    ["a year long ago", "Since 2019 we migrate.", "we migrate since last year"],
  ])("refuses %s", (_what, text, said) => {
    expect(reasonOf(text, said)).toBe("unsupported");
  });

  it.each<[what: string, text: string, said: string]>([
    [
      "force from another sentence",
      "Never run the linter.",
      "Always run the linter. Never deploy on Fridays.",
    ],
    ["a wrapped line", "Always\npush the build.", "always lint; push the build if you like"],
    ["a lead-in of a list", "Never:\n- mention the client\n- write tests", "never mention the client"],
    ["a strong equivalent", "Under no circumstances write tests.", "write tests"],
    ["a German equivalent", "Auf keinen Fall Tests schreiben.", "bitte Tests schreiben"],
    ["a Spanish equivalent", "Está prohibido escribir tests.", "escribir tests está bien"],
    ["a Chinese equivalent", "严禁写测试。", "写测试吧"],
    ["a Japanese equivalent", "テストを書くのは禁止。", "テストを書いて"],
  ])("refuses an always or never by %s", (_what, text, said) => {
    expect(reasonOf(text, said)).toBe("unsupported");
  });

  it("takes a short 'from now on' for the sentence beside it", () => {
    expect(reasonOf("Always run the linter.", "Run the linter. From now on, please.")).toBeUndefined();
  });

  it("does not let a rule hide behind Why and How, in the description, or in the name", () => {
    const reasons = "Use tabs.\n\n**Why:** said so.\n**How to apply:** always, in code.\n";
    const said = "use tabs";

    expect(reasonOf("Use tabs.", said, { body: reasons })).toBeUndefined();
    expect(reasonOf("Use tabs.", said, { body: `${reasons}\nNever write tests.` })).toBe("unsupported");
    expect(reasonOf("Use tabs.", said, { body: `${reasons}## More\nNever write tests.` })).toBe(
      "unsupported",
    );
    expect(reasonOf("Why: never write tests", said, { body: "Use tabs." })).toBe("unsupported");
    expect(reasonOf("Use tabs.", said, { name: "never-write-tests" })).toBe("unsupported");
    expect(reasonOf("Use tabs.", said, { name: "tabs-of-8" })).toBe("unsupported");
    expect(reasonOf("Use tabs.", said, { name: "use-tabs" })).toBeUndefined();
  });

  it("checks commands, addresses, paths and numbers of Why and How", () => {
    for (const piece of ["`make purge`", "https://evil.example/x", "src/evil.ts", "8443", "dropTables"]) {
      for (const label of ["Why", "How to apply"]) {
        const body = `Use tabs.\n\n**Why:** said so.\n**${label}:** see ${piece}\n`;
        expect(reasonOf("Use tabs.", "use tabs", { body })).toBe("unsupported");
      }
    }
  });

  it("lets a link to a memory of the folder stand, and no other", () => {
    const memories = [memoryOf("project_api2.md", "The second api", { name: "api2-port" })];
    const reasonWith = (text: string) => {
      const change = create(text, [quote("use tabs in the api")]);
      return supportRule(change, factsFor(change, { memories }))?.reason;
    };

    expect(reasonWith("Use tabs in the api, see [[api2-port]].")).toBeUndefined();
    expect(reasonWith("Use tabs in the api, see [api](project_api2.md).")).toBeUndefined();
    expect(reasonWith("Use tabs in the api, see [[api3-port]].")).toBe("unsupported");
  });

  it("tells in one sentence what to do, and repeats nothing of the text", () => {
    const change = create("Call dropTables there", [quote("call it there")]);

    expect(supportRule(change, factsFor(change))?.message).toBe(
      "this identifier is not in the quoted words; leave it out or quote where it was said",
    );
  });
});
