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

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = UPPER.toLowerCase();
const DIGITS = "0123456789";

/** Classes of `public-formats.ts`. Those issuers take in any case are drawn in one case or mixed. */
const CLASSES: Readonly<Record<string, string>> = {
  A: UPPER + LOWER + DIGITS,
  Ax: `${UPPER}${LOWER}${DIGITS}_-`,
  Axe: `${UPPER}${LOWER}${DIGITS}_-=`,
  L: UPPER + LOWER,
  UN: UPPER + DIGITS,
  d: DIGITS,
  b64: `${UPPER}${LOWER}${DIGITS}+/`,
  b64u: `${UPPER}${LOWER}${DIGITS}_-`,
  b32: `${UPPER}234567`,
  b36: LOWER + DIGITS,
  lhex: `${DIGITS}abcdef`,
  bech: "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
  azure: `${UPPER}${LOWER}${DIGITS}_.~`,
  kraken: `${UPPER}${LOWER}${DIGITS}/+=_-`,
  twb: `${UPPER}${LOWER}${DIGITS}%`,
};
const ANY_CASE: Readonly<Record<string, string>> = {
  an: LOWER + DIGITS,
  anx: `${LOWER}${DIGITS}_-`,
  anxe: `${LOWER}${DIGITS}_-=`,
  anxed: `${LOWER}${DIGITS}_-=.`,
  hex: `${DIGITS}abcdef`,
  ah: `${DIGITS}abcdefgh`,
};

export interface Draw {
  below(limit: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** A random text of a shape: `<class n>` or `<class n-m>` for random characters, `<uuid>`, the rest as it stands. */
  token(shape: string): string;
}

export function createDraw(seed: number): Draw {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
  const pick: Draw["pick"] = (items) => items[below(items.length)] ?? items[0];
  function characters(name: string, count: number): string {
    const letters = CLASSES[name] ?? anyCase(ANY_CASE[name] ?? "");
    if (letters === "") throw new Error(`no class ${name}`);
    return Array.from({ length: count }, () => letters[below(letters.length)]).join("");
  }
  function anyCase(lower: string): string {
    const upper = lower.toUpperCase();
    return pick([lower, lower, upper, [...new Set(lower + upper)].join("")]);
  }
  return {
    below,
    pick,
    token: (shape) =>
      shape
        .replaceAll("<uuid>", "<lhex 8>-<lhex 4>-<lhex 4>-<lhex 4>-<lhex 12>")
        .replace(/<(\w+) (\d+)(?:-(\d+))?>/gu, (_, name: string, least: string, most: string | undefined) => {
          const spread = most === undefined ? 0 : below(Number(most) - Number(least) + 1);
          return characters(name, Number(least) + spread);
        }),
  };
}
