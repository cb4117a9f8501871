import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimsOf, claimSource } from "../../../../src/memory/gate/claims.ts";
import { isSaid, saidIn, standingClauses } from "../../../../src/memory/gate/clauses.ts";
import { permissionRule } from "../../../../src/memory/gate/rules/permission.ts";
import { create } from "./proposals.ts";
import { costOf } from "../../../helpers/cost.ts";

/** Plain readings (see the helper) hostile or large text may cost. */
const READINGS_MAX = 45;

const PIECES = [
  "we",
  "always",
  "never",
  "use",
  "`pnpm test --filter api`",
  "git push --force origin",
  "--no-cache",
  "-v",
  "https://acme.test/a/b?c=1",
  "grafana.internal/d/api",
  "src/rules.ts:42",
  "~/.config/x",
  "/tmp/claude-501/-Users-x/y.output",
  "main.go",
  "@acme/core",
  "fetchUser",
  "ENABLE_CACHE",
  "KX-9",
  "utf8",
  "8,080",
  "9090",
  "00:30",
  "3.5",
  "2026-05-07",
  "2026年5月8日",
  "端口",
  "必须",
  "コメント",
  "DevOps-Ingenieur",
  "a.b.c",
  "run()",
  "\n",
  "\n1. ",
  "\n- ",
  "```\nmake ship\n```",
  "(see",
  "x.md)",
];

describe("claims of a text", () => {
  it("always stand in that text, however its pieces are put together", () => {
    const text = fc
      .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(" ", ", ", ". ", ": ")), { maxLength: 12 })
      .map((parts) => parts.flat().join(""));

    fc.assert(
      fc.property(text, (words) => {
        const source = claimSource(words);

        expect(claimsOf(words).filter((claim) => !source.has(claim))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("are not found in a text that lacks them", () => {
    const source = claimSource("the server listens somewhere, ask Mira");

    for (const piece of [
      "`pnpm test`",
      "https://acme.test",
      "src/rules.ts",
      "fetchUser",
      "9090",
      "2026-05-07",
    ]) {
      const claims = claimsOf(`see ${piece} there`);
      expect(claims).not.toEqual([]);
      expect(claims.filter((claim) => source.has(claim))).toEqual([]);
    }
  });

  it.each([
    ["a/".repeat(10_000)],
    ["a.".repeat(10_000)],
    ["-".repeat(20_000)],
    ["`".repeat(20_000)],
    ["ignore ".repeat(3_000)],
    ["1,".repeat(10_000)],
    ["without ask ".repeat(1_700)],
    ["你有权".repeat(6_000)],
    ["x@".repeat(10_000)],
    ["```\n".repeat(5_000)],
    ["](".repeat(10_000)],
    ["never x. ".repeat(200)],
    ["[a](b)".repeat(3_000)],
    ["- never:\n".repeat(200)],
  ])("are found in hostile text at next to no cost (%#)", async (text) => {
    const look = () => {
      const source = claimSource(text);
      for (const claim of claimsOf(text)) source.has(claim);
      const said = saidIn([text]);
      for (const clause of standingClauses(text)) isSaid(clause, said);
      permissionRule(create(text));
    };

    expect(await costOf(look, { enough: READINGS_MAX })).toBeLessThan(READINGS_MAX);
  });
});
