// Learns from a stretch by the offline rules: no model, no network.
import type { Candidate, ChangeSet, MemoryChange } from "../../../domain/changes.ts";
import type { Instant, TranscriptRecord } from "../../../domain/records.ts";
import { renderRecord } from "../../../memory/secrets/render.ts";
import type { Offered } from "../../../memory/inbox/items.ts";
import { createBreather } from "../../../system/breather.ts";
import { besideInstructions, insistedIn } from "./beside.ts";
import { trustedAt } from "../local-time.ts";
import type { Hearing } from "./hear.ts";
import type { Learning } from "./pass.ts";
import { noteCommit } from "./pass.ts";
import { type Finding, partsOf, planChanges } from "../plan.ts";
import { keepRefused } from "./quarantine.ts";
import { secondSightings } from "./second-sighting.ts";

/** `savesOnly`: what was asked for in so many words or set as a rule; weaker remarks are left to who read before. */
export async function learnByRules(
  { open, fresh }: Pick<Hearing, "open" | "fresh">,
  learning: Learning,
  { savesOnly }: { readonly savesOnly: boolean } = { savesOnly: false },
): Promise<void> {
  const { pass, request, deps } = learning;
  const heard = [...open.context, ...open.records];
  const now = deps.clock.now();
  const rendered = heard.map((record) => renderedFor(record, now));
  pass.secretsMasked += maskedIn(rendered) - maskedIn(heard);
  const session = {
    agent: pass.entry.source.agent,
    id: pass.entry.state.sessionId,
    projectId: pass.project.id,
  };
  const found = await deps.extract({
    records: rendered,
    isNew: (recordId) => fresh.has(recordId),
    session,
    now,
    timeZone: deps.clock.timeZone(),
    pause: createBreather(deps.clock),
  });
  const { again, others } = await secondSightings(found.candidates, learning);
  if (!savesOnly) pass.candidates += deps.keepForReview(pass.project, others.map(asOffer));
  const saves = [...found.saves, ...again];
  if (saves.length === 0) return;
  const view = deps.viewOf(request.memoryDir);
  const insisted = insistedIn(found.saves, rendered);
  const planned = planChanges(saves, {
    memories: view.memories,
    taken: view.taken,
    today: deps.today(),
    timeZone: deps.clock.timeZone(),
    origin: request.projects.length > 1 ? pass.project.root : undefined,
  });
  const changes = besideInstructions(planned, learning);
  const texts = textsOf(rendered, again);
  for (const part of partsOf(changes)) {
    const set: ChangeSet = {
      run: request.run,
      kind: "extract",
      trigger: request.trigger,
      project: pass.project,
      memoryDir: request.memoryDir,
      changes: part,
      producer: "offline",
    };
    const sharedFolder = request.projects.length > 1;
    const result = await deps.commit(set, { evidenceTexts: texts, sharedFolder, insisted });
    noteCommit(pass, result);
    keepRefused({ verdicts: result.verdicts, producer: "offline" }, learning);
  }
  settleSeenAgain(again, changes, learning);
}

function textsOf(
  rendered: readonly TranscriptRecord[],
  again: readonly Finding[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>(
    rendered.flatMap((record) => ("text" in record ? [[record.recordId, record.text]] : [])),
  );
  // What an earlier session said was checked when it was kept; its transcript may be gone by now.
  for (const { recordId, quote } of again.flatMap(({ evidence }) => evidence)) {
    if (!texts.has(recordId)) texts.set(recordId, quote);
  }
  return texts;
}

/** Said twice and known already: a run that was broken off right after it had saved them. */
function settleSeenAgain(
  again: readonly Finding[],
  changes: readonly MemoryChange[],
  { pass, deps }: Learning,
): void {
  const planned = new Set(changes.flatMap(({ evidence }) => evidence));
  const known = again.filter(({ evidence }) => evidence.every((item) => !planned.has(item)));
  if (known.length > 0)
    deps.settle(
      pass.project,
      known.map(({ memory }) => memory),
    );
}

function asOffer({ memory, evidence, cue }: Candidate): Offered {
  return {
    kind: "candidate",
    producer: "offline",
    cue,
    changes: [{ op: "create", file: "", memory, evidence }],
  };
}

/** Rules read the same masked, normalised text a model would see, so quotes are checked against one thing. */
export function renderedFor<R extends TranscriptRecord>(record: R, now: Instant): R {
  if (record.kind !== "user-text" && record.kind !== "assistant-text") return record;
  return { ...record, at: trustedAt(record.at, now), text: renderRecord(record) };
}

/** Marks the masking left in typed words; the difference to the raw text is what it took out. */
function maskedIn(records: readonly TranscriptRecord[]): number {
  const typed = records.flatMap((record) => (record.kind === "user-text" ? [record.text] : []));
  return typed.reduce((sum, text) => sum + text.split("[secret:").length - 1, 0);
}
