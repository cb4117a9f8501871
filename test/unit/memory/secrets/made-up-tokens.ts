// Token-shaped text assembled at run time: nothing in this repository may look like a secret.
import { createHash } from "node:crypto";

const ALPHABETS = {
  alphanumeric: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  base32: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  hex: "0123456789abcdef",
} as const;

/** The same text for the same seed, so that a failure can be repeated. */
export function randomText(
  length: number,
  { seed = 1, alphabet = "alphanumeric" as keyof typeof ALPHABETS } = {},
): string {
  const letters = ALPHABETS[alphabet];
  let text = "";
  for (let block = 0; text.length < length; block += 1) {
    const bytes = createHash("sha256").update(`${seed} ${block} ${alphabet}`).digest();
    for (const byte of bytes) text += letters[byte % letters.length];
  }
  return text.slice(0, length);
}

export const tokens = {
  anthropic: (seed = 1) => `sk-ant-${"api03"}-${randomText(93, { seed })}AA`,
  github: (seed = 1) => `gh${"p"}_${randomText(36, { seed })}`,
  awsId: (seed = 1) => `AK${"IA"}${randomText(16, { seed, alphabet: "base32" })}`,
  awsSecret: (seed = 1) => randomText(40, { seed, alphabet: "base64" }),
  privateKey(seed = 1) {
    const lines = Array.from({ length: 20 }, (_, n) =>
      randomText(64, { seed: seed * 100 + n, alphabet: "base64" }),
    );
    return [`-----BEGIN ${"PRIVATE"} KEY-----`, ...lines, `-----END ${"PRIVATE"} KEY-----`].join("\n");
  },
};
