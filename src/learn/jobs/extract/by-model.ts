// Learns from a stretch by a model, piece by piece: one run a piece, its accepted proposals committed, the cursor moved.
// A run that breaks leaves nothing; what earlier pieces taught stays.
import { systemCode } from "../../../domain/errors.ts";
import type { TranscriptRecord } from "../../../domain/records.ts";
import type { Cursor } from "../../../intake/transcripts/format.ts";
import { learnByRules } from "./by-rules.ts";
import { cut } from "./cut.ts";
import { type Hearing, markHeard } from "./hear.ts";
import { type Ground, groundOf, learnPiece, type ModelLearning } from "./model-run.ts";
import { isStillReader } from "./reader.ts";
import type { Piece } from "./pieces.ts";
import { advance, saveCount } from "./progress.ts";
import { keepForPerson } from "./quarantine.ts";

/**
 * `job-full`: the job's tokens are used up; `over-budget`: a ceiling is reached; `withdrawn`: the person took the model
 * away; `too-long`: not even a quarter of a piece is short enough for the model. What is left stays unread.
 */
export type ModelPass = "done" | "job-full" | "over-budget" | "withdrawn" | "too-long";

/** A server that finds a piece too long is asked about half of it, and half of that: three requests, then no more. */
const HALVINGS_MAX = 2;

/** `next`: where the cursor stands after the whole stretch. */
export async function learnByModel(
  hearing: Hearing,
  learning: ModelLearning,
  next?: Cursor,
): Promise<ModelPass> {
  const { pass, request, deps, reader } = learning;
  let ground = groundOf(learning);
  const { halvings } = pass;
  const { pieces, fixedTokens } = cut(hearing, { ...learning, task: ground.task, halvings });
  let mayStop = true;
  let readUntil = 0;
  let waiting = pass.candidates;
  for (const piece of pieces) {
    request.signal.throwIfAborted();
    if (pass.candidates !== waiting) ground = groundOf(learning);
    waiting = pass.candidates;
    if (mayStop && !hasRoom(fixedTokens + piece.window.tokens, learning)) return "job-full";
    const after = await learnInto(ground, piece, learning).catch(tooLong);
    if (after === "too-long") {
      if (halvings >= HALVINGS_MAX) return after;
      pass.halvings += 1;
      return learnByModel(restOf(hearing, readUntil), learning, next);
    }
    if (after === "stopped") return isStillReader(pass, deps, reader) ? "over-budget" : "withdrawn";
    ground = after;
    // Where the cursor cannot stand, stopping would read the same again in the next job.
    mayStop = piece.endOffset !== undefined;
    if (piece.endOffset === undefined) continue;
    await saveOutright(hearing, { after: readUntil, upTo: piece.endOffset }, learning);
    readUntil = piece.endOffset;
    markHeard(pass, hearing, readUntil);
    const { format, source } = pass.entry;
    const cursor = next?.offset === readUntil ? next : format.cursorAt(source, readUntil);
    if (cursor !== undefined) advance(pass, cursor, deps.catalog);
    saveCount(pass, deps.catalog);
  }
  await saveOutright(hearing, { after: readUntil, upTo: Number.POSITIVE_INFINITY }, learning);
  return "done";
}

function tooLong(error: unknown): "too-long" {
  if (systemCode(error) === "model-too-long") return "too-long";
  throw error;
}

/** What of a stretch is still to be read. */
function restOf({ open, ...hearing }: Hearing, readUntil: number): Hearing {
  const isRead = ({ endOffset }: TranscriptRecord) => endOffset <= readUntil;
  const context = [...open.context, ...open.records.filter(isRead)].slice(-CONTEXT_RECORDS);
  const records = open.records.filter((record) => !isRead(record));
  const fresh = new Map([...hearing.fresh].filter(([, record]) => !isRead(record)));
  return { ...hearing, fresh, open: { context, records } };
}

/**
 * One piece, and once more when somebody changed the folder while the model was thinking: their edit stands, and the
 * model is shown it. Answers the ground as it is afterwards.
 */
async function learnInto(ground: Ground, piece: Piece, learning: ModelLearning): Promise<Ground | "stopped"> {
  const first = await learnPiece(piece, ground, learning);
  if (first.stopped) return "stopped";
  if (!first.changed) return ground;
  const now = groundOf(learning);
  if (first.stale.length === 0) return now;
  const second = await learnPiece(piece, now, learning);
  keepForPerson(second.stopped ? first.stale : second.stale, learning);
  return groundOf(learning);
}

/**
 * Whatever a model made of it: what the person asked to remember in so many words, or set as a rule, is saved. A message
 * some memory already rests on is left alone.
 */
async function saveOutright(
  { open, fresh }: Hearing,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  learning: ModelLearning,
): Promise<void> {
  const isHere = ({ endOffset }: TranscriptRecord) => endOffset > after && endOffset <= upTo;
  const here = new Map([...fresh].filter(([, record]) => isHere(record)));
  if (here.size === 0) return;
  const context = [...open.context, ...open.records.filter(({ endOffset }) => endOffset <= after)];
  const stretch = { context: context.slice(-CONTEXT_RECORDS), records: open.records.filter(isHere) };
  const savesOnly = learning.pass.unfinished === undefined;
  await learnByRules({ open: stretch, fresh: here }, learning, { savesOnly });
}

/** A "yes" may be about the answer before it. */
const CONTEXT_RECORDS = 8;

/** A run reads, then writes; a job begins one only where both requests fit, but its first in any case. */
function hasRoom(tokens: number, { cost, reader }: ModelLearning): boolean {
  const { requests, inputTokens } = cost.sum();
  return requests === 0 || inputTokens + 2 * tokens <= reader.inputTokensMax;
}
