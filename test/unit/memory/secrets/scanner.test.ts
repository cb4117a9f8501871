import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecrets, maskSecrets } from "../../../../src/memory/secrets/scanner.ts";
import { SECRET_RULES } from "../../../../src/memory/secrets/table.ts";
import { sampleData } from "../../../helpers/sample-data.ts";
import { randomText, tokens } from "./made-up-tokens.ts";

const rulesIn = (text: string) => findSecrets(text).map((secret) => secret.rule);

describe("a secret in a text", () => {
  const cases: [string, string][] = [
    ["anthropic-api-key", tokens.anthropic()],
    ["github-pat", tokens.github()],
    ["aws-access-token", tokens.awsId()],
    ["private-key", tokens.privateKey()],
    ["slack-bot-token", `xo${"xb"}-123456789012-123456789012-${randomText(24)}`],
    ["stripe-access-token", `sk_${"live"}_${randomText(24)}`],
    ["gcp-api-key", `AI${"za"}${randomText(35)}`],
    ["npm-access-token", `np${"m"}_${randomText(36)}`],
    ["openai-api-key", `s${"k"}-${randomText(20)}T3Blbk${"FJ"}${randomText(20, { seed: 2 })}`],
    ["jwt", `ey${"J"}${randomText(30)}.ey${"J"}${randomText(40)}.${randomText(43)}`],
  ];

  it.each(cases)("is found and masked: %s", (rule, secret) => {
    for (const text of [
      secret,
      `use ${secret}, please`,
      `KEY="${secret}"\n`,
      `{"a":"${secret}\\n"}`,
      `日本語${secret} です`,
    ]) {
      const masked = maskSecrets(text);
      expect(rulesIn(text)).toContain(rule);
      expect(masked.text).not.toContain(secret.slice(8, 24));
      expect(masked.text).toContain("[secret:");
    }
  });

  it("is told by its exact place", () => {
    const token = tokens.github();

    expect(findSecrets(`a ${token} b`)).toContainEqual({
      rule: "github-pat",
      start: 2,
      end: 2 + token.length,
    });
  });

  it("is counted once where several rules see it", () => {
    const masked = maskSecrets(`api_key = "${tokens.github()}" and token: ${tokens.github(2)}`);

    expect(masked).toEqual({
      text: 'api_key = "[secret:github-pat]" and token: [secret:github-pat]',
      found: new Map([["github-pat", 2]]),
    });
  });

  it("is found at every place around the border of two chunks", () => {
    const token = tokens.anthropic();
    for (const before of [245_700, 245_760, 262_080, 262_143, 262_144, 262_200, 500_000]) {
      expect(rulesIn(`${"x ".repeat(before / 2)} ${token}`)).toContain("anthropic-api-key");
    }
  });

  it("is masked as far as it goes when a key block was cut off", () => {
    const cut = tokens.privateKey().slice(0, 500);

    expect(maskSecrets(`${cut}`).text).toBe("[secret:private-key]");
  });
});

describe("credentials in words and settings", () => {
  const password = `Vq7-${"fake"}-horse`;

  it.each([
    `the staging db password is ${password}. Staging runs on host birch.`,
    `password: ${password}`,
    `DB_PASSWORD="${password}"`,
    `Das Passwort ist ${password}.`,
    `Das Kennwort lautet: ${password}`,
    `密码是 ${password}，谢谢`,
    `パスワードは${password} です`,
    `La contraseña es ${password}`,
    `la clave del wifi es ${password}`,
    `set the password to ${password}`,
    `postgres://app:${password}@db.internal/app`,
    `curl -u 'app:${password}' https://example.org`,
    `my passphrase is "${password}"`,
  ])("are masked: %s", (text) => {
    expect(maskSecrets(text).text).not.toContain(password);
  });

  it.each([
    "The password is required for staging",
    "Das Passwort wird beim ersten Anmelden geändert.",
    "la clave es la misma",
    "password: string;",
    "const password = process.env.DB_PASSWORD",
    "password = getpass.getpass()",
    'password: "${DB_PASSWORD}"',
    "postgres://user:password@localhost/db",
    "密码是必填的",
    "The secret of a good soup is a slow start.",
    "primary_key: user_id_2",
    "max_tokens: 4096",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "session 11111111-1111-4111-8111-111111111111",
    "Read src/memory/secrets/api-key-rules-v2.ts",
  ])("are not seen in: %s", (text) => {
    expect(findSecrets(text)).toEqual([]);
  });
});

describe("the conversation of B59", () => {
  it("loses its five secrets and keeps its look-alikes and the rest", () => {
    const secrets = [
      tokens.anthropic(),
      tokens.awsSecret(),
      tokens.github(),
      tokens.privateKey(),
      `Vq7-${"fake"}-horse`,
    ];
    const [k1, k2, k3, k4, word] = secrets;
    const sha = "3f786850e387550fdab836ed7e6dc881de23001b";
    const uuid = "11111111-1111-4111-8111-111111111111";
    const text = [
      `Remember: the staging db password is ${word}, api key ${k1}. Staging runs on host birch.`,
      `AWS_SECRET_ACCESS_KEY=${k2}\nGITHUB_TOKEN=${k3}`,
      k4,
      `${sha} ; ${uuid}`,
    ].join("\n");

    const masked = maskSecrets(text).text;

    for (const secret of secrets) expect(masked).not.toContain(secret);
    expect(masked).toContain("Staging runs on host birch.");
    expect(masked).toContain(`${sha} ; ${uuid}`);
  });
});

describe("masking", () => {
  it("leaves nothing for a second pass and keeps the text around", () => {
    const parts = fc.constantFrom(
      "plain words ",
      "\n",
      tokens.github(),
      ` token=${tokens.awsSecret()} `,
      "日本語",
      tokens.awsId(),
      '"',
      "key: ",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (list) => {
        const once = maskSecrets(list.join(" "));
        expect(maskSecrets(once.text).text).toBe(once.text);
        expect(once.text.split("plain words").length).toBe(list.join(" ").split("plain words").length);
      }),
    );
  });
});

describe("the table", () => {
  it("has keywords in lower case for every rule", () => {
    for (const rule of SECRET_RULES) {
      expect(rule.keywords.length).toBeGreaterThan(0);
      for (const keyword of rule.keywords) expect(keyword).toBe(keyword.toLowerCase());
    }
  });

  const cases = sampleData("bench/secrets-dev.jsonl");

  it.skipIf(cases === undefined)(
    "finds 99 % of the public cases and flags at most 2 % of the look-alikes",
    () => {
      interface Case {
        readonly kind: "positive" | "negative";
        readonly b64: string;
        readonly also?: readonly string[];
      }
      const rows = readFileSync(cases ?? "", "utf8")
        .trim()
        .split("\n")
        .map((line): Case => JSON.parse(line));
      const share = (some: readonly Case[]) =>
        some.filter((row) => findSecrets(Buffer.from(row.b64, "base64").toString()).length > 0).length /
        some.length;

      expect(share(rows.filter((row) => row.kind === "positive"))).toBeGreaterThanOrEqual(0.99);
      expect(
        share(rows.filter((row) => row.kind === "negative" && row.also === undefined)),
      ).toBeLessThanOrEqual(0.02);
    },
  );
});
