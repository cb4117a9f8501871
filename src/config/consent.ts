// Keeps `consent.json`: which agents' words may go to which model, since when. Anything unreadable in it counts
// as not allowed.
import type { Files } from "../system/files.ts";
import { isFields, parseJson } from "../domain/json.ts";
import { type ModelProvider, PROVIDERS } from "../domain/model-choice.ts";
import { STATE_LIMITS } from "../domain/limits.ts";
import type { ConsentRecord, Grant } from "./provider.ts";
import { NO_CONSENT } from "./provider.ts";

export interface ConsentStore {
  /** What is recorded; `NO_CONSENT` when the file is missing, damaged or of another version. */
  load(): ConsentRecord;
  save(record: ConsentRecord): void;
}

export function createConsentStore({
  files,
  path,
}: {
  readonly files: Files;
  readonly path: string;
}): ConsentStore {
  return {
    load() {
      const content = files.read(path, STATE_LIMITS.configBytesMax);
      return content === undefined ? NO_CONSENT : parseConsent(content.toString("utf8"));
    },
    save: (record) => files.replace(path, `${JSON.stringify({ v: 1, ...record }, null, 2)}\n`),
  };
}

function parseConsent(text: string): ConsentRecord {
  const value = parseJson(text);
  // A damaged file allows nothing; the person is asked again.
  if (!isFields(value) || value["v"] !== 1) return NO_CONSENT;
  const grants = Array.isArray(value["grants"]) ? value["grants"].flatMap(parseGrant) : [];
  return { grants, chosen: parseTarget(value["chosen"]), configured: parseTarget(value["configured"]) };
}

function parseGrant(value: unknown): Grant[] {
  const target = parseTarget(value);
  if (target === undefined || !isFields(value)) return [];
  const { agent, at, by } = value;
  if (typeof agent !== "string" || typeof at !== "string" || (by !== "config" && by !== "person")) return [];
  return [{ ...target, agent: agent as Grant["agent"], at, by }];
}

function parseTarget(value: unknown): { provider: ModelProvider; host: string } | undefined {
  if (!isFields(value) || typeof value["host"] !== "string") return undefined;
  const provider = PROVIDERS.find((known) => known === value["provider"]);
  return provider === undefined ? undefined : { provider, host: value["host"] };
}
