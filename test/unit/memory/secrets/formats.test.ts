// Random tokens of every public format, in the places where people and programs put them: each must be found whole.
import { describe, expect, it } from "vitest";
import { findSecrets, maskSecrets } from "../../../../src/memory/secrets/scanner.ts";
import { createDraw, type Draw } from "./made-up-tokens.ts";
import { BY_NAME, BY_SHAPE, BY_TEXT } from "./public-formats.ts";

const ROUNDS = 6;
const SEED = Number(process.env["ENGRAMD_TEST_SEED"] ?? "7");

/** `#` stands for a token. */
const PLACES = [
  "#",
  "use # for this",
  "it is #.",
  "# is old, take another",
  "(#)",
  "[#]",
  "<#>",
  "<b>#</b>",
  "`#`",
  "**#**",
  "'#'",
  '"#",',
  '{"a":"#"}',
  '{\\"a\\": \\"#\\"}',
  "x = #;",
  "export X=#",
  "a: #\nb: 1",
  "key=#&next=1",
  "https://a.example.org/?t=#",
  "日本語「#」です。",
  "これは#です",
  "令牌是#，谢谢",
  "first line\\n#\\nlast",
  "\t#\r\n",
  "#, then more",
  "| a | # |",
] as const;

/** `@` stands for a name in one of its cases, `#` for the value. */
const ASSIGNMENTS = [
  '@Token="#"',
  '@Token = "#"',
  "@Token=#",
  "@_token: #",
  "@_token: '#'",
  '@_API_KEY := "#"',
  "@_TOKEN ?= #",
  '@_TOKEN ::= "#"',
  '  "@Token" => "#"',
  '{"@_token": "#"}',
  '{\n  "@-token" : "#"\n}',
  '{\\"@_token\\":\\"#\\"}',
  '{"config.ini": "@_TOKEN=#\\nBACKUP=true"}',
  'const @Key = "#";',
  'var @Token string = "#"',
  "@Token := `#`",
  'val @Token: String = "#"',
  '$@Token .= "#"',
  'System.setProperty("@_TOKEN", "#")',
  "<@Token>#</@Token>",
  "<@Token>\n    #\n</@Token>",
  "export @_TOKEN=# && run",
  "@: #",
  "@=#,",
  "run --@-token=#",
  "| @ token | @: # |",
] as const;

function misses(text: string, secret: string): boolean {
  return !findSecrets(text).some(({ start, end }) => text.slice(start, end).includes(middle(secret)));
}

/** What no mask may leave: the ends may be shared with a prefix or a mark. */
function middle(secret: string): string {
  const from = Math.floor(secret.length / 3);
  return secret.slice(from, from + Math.max(6, Math.floor(secret.length / 3)));
}

function report(rule: string, missed: readonly string[]): void {
  expect(missed.slice(0, 5).join("\n"), `${rule}, seed ${SEED}: ${missed.length} missed`).toBe("");
}

function rounds(): Draw[] {
  return Array.from({ length: ROUNDS }, (_, n) => createDraw(SEED * 1_000 + n));
}

describe("a token with a shape of its own", () => {
  it.each(BY_SHAPE)("is found wherever it stands: %s", (rule, shape) => {
    const missed = rounds().flatMap((draw) => {
      const drawn = draw.token(shape);
      const token = drawn.replace(/[{}]/gu, "");
      const secret = /\{(.*)\}/u.exec(drawn)?.[1] ?? token;
      return PLACES.filter((place) => misses(place.replaceAll("#", token), secret));
    });

    report(rule, missed);
  });
});

/** Their letters go on in names of files, so they need a real end. */
const DELIMITED = [
  "azure-ad-client-secret",
  "easypost-api-token",
  "easypost-test-api-token",
  "infracost-api-token",
];

it("a token in the name of a file is found", () => {
  const missed = BY_SHAPE.filter(([rule, shape]) => !DELIMITED.includes(rule) && !shape.includes("{")).filter(
    ([, shape]) => {
      const token = createDraw(SEED).token(shape);
      return misses(`feedback_${token}.md`, token);
    },
  );

  expect(missed).toEqual([]);
});

describe("a token that is known by its name", () => {
  it.each(BY_NAME)("is found in every kind of assignment: %s", (rule, names, shape) => {
    const missed = rounds().flatMap((draw) =>
      names.split("|").flatMap((name) => {
        const cased = draw.pick([name, name, name[0]?.toUpperCase() + name.slice(1), name.toUpperCase()]);
        const token = draw.token(shape);
        return ASSIGNMENTS.map((each) => each.replaceAll("@", cased).replaceAll("#", token)).filter((text) =>
          misses(text, token),
        );
      }),
    );

    report(rule, missed);
  });
});

describe("a secret of many lines or words", () => {
  it.each(BY_TEXT)("is found: %s", (rule, text) => {
    const missed = rounds()
      .map((draw) => draw.token(text).replaceAll("#", ""))
      .filter((drawn) => maskSecrets(drawn).found.size === 0);

    report(rule, missed);
  });
});
