// Learns from the new entries of one job, page by page: the model's proposals, then what the person asked for outright, then
// the cursor. Stops where a bound is met; what is left stays unread.
import { systemCode } from "../../../domain/errors.ts";
import { type RoomAgain, roomAgain } from "../../models/ceilings.ts";
import type { ModelReader } from "../model-reader.ts";
import { BUSY_FILE, offerOf } from "../refused.ts";
import { askAbout, type Ground, groundOf } from "./by-model.ts";
import { findByRules } from "./by-rules.ts";
import type { NewEntry } from "./gather.ts";
import type { Job } from "./job.ts";
import { mayTeach, type Page, pageOf, pagesOf } from "./pages.ts";

/** `job-full`: the job's tokens are used up; the others say why no model may be asked now. */
export interface Stop extends RoomAgain {
  readonly why: "job-full" | "over-budget" | "withdrawn" | "held";
  /** The code of the failure that closed the provider. */
  readonly code?: string;
}

/** Told of the last entry of what has been seen to, in order. */
type Seen = (entry: NewEntry) => void;

export async function learnFrom(
  entries: readonly NewEntry[],
  job: Job,
  seen: Seen,
): Promise<Stop | undefined> {
  for (const stretch of byReader(entries, job)) {
    const stop = await learnStretch(stretch, job, seen);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

interface Stretch {
  readonly reader: ModelReader | undefined;
  readonly entries: NewEntry[];
}

/** Neighbours that the same model may read, or none may. */
function byReader(entries: readonly NewEntry[], { deps }: Job): Stretch[] {
  const stretches: Stretch[] = [];
  for (const entry of entries) {
    const reader = deps.readerFor(entry.agent);
    const last = stretches.at(-1);
    if (last !== undefined && last.reader?.client === reader?.client) last.entries.push(entry);
    else stretches.push({ reader, entries: [entry] });
  }
  return stretches;
}

async function learnStretch({ reader, entries }: Stretch, job: Job, seen: Seen): Promise<Stop | undefined> {
  if (reader === undefined) {
    await learnByRules(entries, job);
    for (const entry of lastOfEach(entries)) seen(entry);
    return undefined;
  }
  const held = reader.held();
  if (held !== undefined) return { why: "held", until: held.until, code: held.reason };
  let ground = groundOf(job);
  const timeZone = job.deps.clock.timeZone();
  for (const page of pagesOf(entries, { tokensMax: pageTokens(reader, ground), timeZone })) {
    job.signal.throwIfAborted();
    if (!hasRoom(page, { reader, ground, job })) return { why: "job-full", until: undefined };
    if (mayTeach(page)) {
      const next = await learnPage(page, { ground, reader, job });
      if (next === "stopped") return whyStopped(job, reader, page);
      ground = next;
    }
    await learnByRules(page.entries, job);
    for (const entry of lastOfEach(page.entries)) seen(entry);
  }
  return undefined;
}

/** The largest page: beyond it a model overlooks the middle, and a failed run costs more. */
const PAGE_TOKENS_MAX = 24_000;
const PAGE_TOKENS_MIN = 400;
/** In the second request: the first answer and the memories it read. */
const READ_TOKENS = 6_000;

/** A run reads and then writes: two requests, each with everything before it. */
function pageTokens({ inputTokensMax }: ModelReader, { fixedTokens }: Ground): number {
  const room = Math.floor((inputTokensMax - READ_TOKENS) / 2) - fixedTokens;
  return Math.min(PAGE_TOKENS_MAX, Math.max(PAGE_TOKENS_MIN, room));
}

interface Asking {
  readonly ground: Ground;
  readonly reader: ModelReader;
  readonly job: Job;
}

/** A job begins a page only where both requests fit, but its first in any case. */
function hasRoom({ tokens }: Page, { reader, ground, job }: Asking): boolean {
  const { requests, inputTokens } = job.account.sum();
  return requests === 0 || inputTokens + 2 * (ground.fixedTokens + tokens) <= reader.inputTokensMax;
}

/** A server that finds a page too long is asked about its halves, and halves of those. */
const HALVINGS_MAX = 3;

/** Answers the ground as it is afterwards. */
async function learnPage(page: Page, asking: Asking, halvings = 0): Promise<Ground | "stopped"> {
  const { job } = asking;
  try {
    return await learnOnce(page, asking);
  } catch (error) {
    if (systemCode(error) !== "model-too-long") throw error;
    // What is too long even then only the rules read.
    if (halvings >= HALVINGS_MAX || page.entries.length < 2) return asking.ground;
    const middle = Math.ceil(page.entries.length / 2);
    const timeZone = job.deps.clock.timeZone();
    const first = await learnPage(pageOf(page.entries.slice(0, middle), timeZone), asking, halvings + 1);
    if (first === "stopped") return first;
    return learnPage(
      pageOf(page.entries.slice(middle), timeZone),
      { ...asking, ground: first },
      halvings + 1,
    );
  }
}

/** Once more where somebody changed the folder while the model was thinking: their text stands, and is shown to it. */
async function learnOnce(page: Page, asking: Asking): Promise<Ground | "stopped"> {
  const { job } = asking;
  const first = await askAbout(page, asking);
  if (first.stopped) return "stopped";
  if (first.changes.length === 0) return asking.ground;
  const stale = await job.commit(first.changes, { producer: "model", entries: page.entries });
  const now = groundOf(job);
  if (stale.length === 0) return now;
  const second = await askAbout(page, { ...asking, ground: now });
  const left = second.stopped
    ? stale
    : await job.commit(second.changes, { producer: "model", entries: page.entries });
  const offered = left.flatMap((change) => offerOf(change, BUSY_FILE));
  if (offered.length > 0) job.counts.candidates += job.deps.keepForReview(job.project, offered);
  return groundOf(job);
}

/** Whatever a model made of it: what was asked for in so many words, or set as a rule, is saved. */
async function learnByRules(entries: readonly NewEntry[], job: Job): Promise<void> {
  const { changes, insisted } = await findByRules(entries, job);
  if (changes.length > 0) await job.commit(changes, { producer: "offline", entries, insisted });
}

/** One entry a log, in order: everything up to it has been seen to. */
function lastOfEach(entries: readonly NewEntry[]): NewEntry[] {
  return [...new Map(entries.map((entry) => [entry.log.path, entry])).values()];
}

function whyStopped({ account, deps }: Job, reader: ModelReader, { entries: [first] }: Page): Stop {
  const isReader = first !== undefined && deps.readerFor(first.agent)?.client === reader.client;
  return isReader
    ? { why: "over-budget", ...roomAgain(account.stoppedBy()) }
    : { why: "withdrawn", until: undefined };
}
