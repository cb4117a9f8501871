// Keys their issuers print in public documentation: they are shaped like secrets and are none. Kept as hashes, so that
// no key-shaped text stands in our own source.
import { shortHash } from "../../system/ids.ts";

/** SHA-256, first 16 hex characters: Google's SDK samples, and the search key of a documentation host. */
const PUBLIC_SAMPLES: ReadonlySet<string> = new Set([
  "0b476bdf9acf2123",
  "2037abcaffb2b777",
  "27a9a42931dff7eb",
  "2f21fd9c81678e39",
  "37f8f09bdf12c2f2",
  "3a8b61d0f636b007",
  "3f370c9dd8225c63",
  "49f777db995e8260",
  "4c98242dcadc8b29",
  "8731261cb72d8626",
  "a19f89ab3555eac1",
  "a6c814bc555ae62c",
  "dc0fcf046c61640c",
  "e4a5542bb7fd7b67",
  "ea9bb1082cf95663",
  "eb540d2b6ee2a0a4",
  "f56e323494a6ffc2",
]);

export function isPublicSample(value: string): boolean {
  return PUBLIC_SAMPLES.has(shortHash(value));
}

/** Words that stand for a password in documentation. */
export const SAMPLE_PASSWORDS =
  /^(?:changeme|changeit|passw(?:or)?d|pass|pwd|secret|test|token|user|example|xxx|yyy|\*+|x+|\.+|-+|_+|your.*|my.?password|[<[{$%].*[>\]}%]|\$\w*|.*\$[{(].*)$/iu;
