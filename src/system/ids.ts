// Random and derived identifiers. The only place that asks for randomness.
import { createHash, randomBytes } from "node:crypto";
import type { ContentHash } from "../domain/memories.ts";

/** Eight hex characters. */
export function randomSuffix(): string {
  return randomBytes(4).toString("hex");
}

/** `<UTC time>-<random>`: sorts by time, safe as a file name. */
export function newRunId(now: number): string {
  return `${new Date(now).toISOString().replace(/[-:.]/g, "").replace("Z", "")}-${randomSuffix()}`;
}

/** SHA-256 as lower-case hex. */
export function contentHash(content: string | Buffer): ContentHash {
  return createHash("sha256").update(content).digest("hex");
}

/** First `length` hex characters of the SHA-256, for keys and fingerprints. */
export function shortHash(content: string | Buffer, length = 16): string {
  return contentHash(content).slice(0, length);
}
