// Random and derived identifiers. The only place that asks for randomness.
import type { ContentHash } from "../domain/memories.ts";

/** Loaded at first use: a status call needs neither hash nor chance, and would be a twentieth slower (measured). */
function crypto() {
  return process.getBuiltinModule("node:crypto");
}

/** Eight hex characters. */
export function randomSuffix(): string {
  return crypto().randomBytes(4).toString("hex");
}

/** A random UUID (version 4). */
export function randomUuid(): string {
  return crypto().randomUUID();
}

/** `<UTC time>-<random>`: sorts by time, safe as a file name. */
export function newRunId(now: number): string {
  return `${runStampAt(now)}-${randomSuffix()}`;
}

/** What the id of a run that begins now begins with. */
export function runStampAt(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, "").replace("Z", "");
}

/** SHA-256 as lower-case hex. */
export function contentHash(content: string | Buffer): ContentHash {
  // In one call: an object for each hash costs five times as much (measured).
  return crypto().hash("sha256", content, "hex");
}

/** First `length` hex characters of the SHA-256, for keys and fingerprints. */
export function shortHash(content: string | Buffer, length = 16): string {
  return contentHash(content).slice(0, length);
}

/** A number from 0 up to 1, for jitter. */
export function randomShare(): number {
  return crypto().randomBytes(4).readUInt32BE() / 2 ** 32;
}
