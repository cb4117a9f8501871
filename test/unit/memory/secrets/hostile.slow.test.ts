// Fault 103: text made to cost as much as it can. Two megabytes of any of it take less than a second, and a secret is
// found wherever two chunks meet.
import { describe, expect, it } from "vitest";
import { findSecrets } from "../../../../src/memory/secrets/scanner.ts";
import { SECRET_RULES } from "../../../../src/memory/secrets/table.ts";
import { costOf, readingMs } from "../../../helpers/cost.ts";
import { createDraw, tokens } from "./made-up-tokens.ts";

const CHARS = 2_000_000;
/** What a second is on the machine the bound was set on: so often it read as many characters ten times over, plainly. */
const READINGS_MAX = 45;

/** What a scan costs, in readings of two megabytes; the text is `parts` times shorter. */
async function readings(text: string, oneMs?: number, parts = 1): Promise<number> {
  const enough = READINGS_MAX / parts;
  return (
    (await costOf(() => findSecrets(text), { enough, ...(oneMs === undefined ? {} : { oneMs }) })) * parts
  );
}

function filled(piece: string): string {
  return piece.repeat(Math.ceil(CHARS / piece.length)).slice(0, CHARS);
}

const KEYWORDS = [...new Set(SECRET_RULES.flatMap(({ keywords }) => keywords))];
const OPEN = `-----BEGIN ${"PRIVATE"} KEY-----`;
const random = createDraw(5);

describe("two megabytes of hostile text take less than a second (fault 103)", () => {
  it.each(["#", "# ", "#=", '#: "', "# # # = ", "#_a.b-c d", "#\\n", "#= = = = =", "#:a "])(
    "of every keyword as %s",
    async (shape) => {
      const oneMs = readingMs();
      const slow: object[] = [];
      for (const keyword of KEYWORDS) {
        const text = filled(shape.replaceAll("#", keyword)).slice(0, CHARS / 8);
        const cost = await readings(text, oneMs, 8);
        if (cost > READINGS_MAX) slow.push({ keyword, cost });
      }

      expect(slow).toEqual([]);
    },
  );

  it.each([
    ["one letter", "a"],
    ["starts of JWTs", "ey"],
    ["names and values without an end", "token = "],
    ["equals signs", "="],
    ["quotes", '"'],
    ["quotes in turn", "\"'`"],
    ["backslashes", "\\"],
    ["blanks", " "],
    ["line breaks", "\n"],
    ["hyphens", "-"],
    ["hex", "0123456789abcdef"],
    ["one base64 line", random.token("<b64 1000>")],
    ["base64 of a JWT's start", "ZXlK"],
    ["JWTs without an end", "eyJhbGciOiJIUzI1NiIsInR5"],
    ["dots between JWT starts", "eyJhbGciOiJIUzI1NiIsInR5."],
    ["key headers", OPEN],
    ["key headers on lines", `${OPEN}\n`],
    ["a key header and an endless body", `${OPEN}\n${random.token("<b64 300>")}`],
    ["key headers without an end", "-----BEGIN "],
    ["key ends", `-----END ${"PRIVATE"} KEY-----`],
    ["nested key blocks", `${OPEN}\\n${OPEN}\\nAAAA`],
    ["manifests", "kind: Secret\ndata:\n a: b\n"],
    ["manifest lines", "kind: Secret\n"],
    ["data maps", "data:\n  a: QUJDREVGR0g=\n"],
    ["user names of URLs", "://a:"],
    ["a user name without an end", `://${"a".repeat(90)}:${"b".repeat(190)}`],
    ["URLs without an end", "https://"],
    ["at signs", "://@:@"],
    ["curl users", "curl -u a:b "],
    ["curl without a user", "curl -u "],
    ["open quotes of curl", 'curl -u "a:'],
    ["curl continuations", "curl \\\n -H "],
    ["headers", "Authorization: Bearer "],
    ["headers without blanks", "Authorization:Authorization:"],
    ["sentences", "password is "],
    ["sentences with places", "password for a b c d is "],
    ["passwords of places without an end", "password for for for for for "],
    ["Chinese sentences", "密码是"],
    ["Japanese sentences", "パスワードは"],
    ["a name and blanks", "secret         "],
    ["names and dots", "key.key.key-key "],
    ["random values of a name", `key=${random.token("<A 40>")} `],
    ["random values of a name without an end", `key=${random.token("<A 299>")}#`],
    ["values that hold words", `token=table${random.token("<A 40>")} `],
    ["types", "key: a<a<a<a "],
    ["calls", "key=a.a.a.a.a.a.a.a("],
    ["letters that change when lowered", "İıſK"],
    ["halves of characters", "\ud83d"],
    ["zero-width characters", "\u200b\u200d"],
  ])("of %s", async (_, piece) => {
    expect(await readings(filled(piece))).toBeLessThan(READINGS_MAX);
  });
});

describe("a secret on the border of two chunks", () => {
  it("is found at every offset", () => {
    const secrets = [tokens.github(), tokens.privateKey(), `password is Vq7-${"fake"}-horse`];
    for (const secret of secrets) {
      for (let before = 245_760 - secret.length - 8; before < 245_768; before += 37) {
        const text = `${"x ".repeat(before >> 1)}\n${secret}\n${"y ".repeat(20_000)}`;
        const { length } = findSecrets(text);
        expect(length, `${before}`).toBe(1);
      }
      for (let before = 262_144 - secret.length - 8; before < 262_152; before += 37) {
        const text = `${"x ".repeat(before >> 1)}\n${secret}\n${"y ".repeat(20_000)}`;
        expect(findSecrets(text).length, `${before}`).toBeGreaterThan(0);
      }
    }
  });
});
