// Learns from a stretch by the offline rules: no model, no network.
import type { Candidate, ChangeSet } from "../../../domain/changes.ts";
import type { Instant, TranscriptRecord } from "../../../domain/records.ts";
import { renderRecord } from "../../../memory/secrets/render.ts";
import { createBreather } from "../../../system/breather.ts";
import { trustedAt } from "./local-time.ts";
import type { Hearing } from "./hear.ts";
import type { Learning } from "./pass.ts";
import { noteCommit } from "./pass.ts";
import { partsOf, planChanges } from "./plan.ts";

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
  const { proposeOnly } = deps.settings(pass.project);
  const saves = proposeOnly ? [] : found.saves;
  const weak: Candidate[] = [
    ...(savesOnly ? [] : found.candidates),
    ...(proposeOnly ? found.saves.flatMap(asCandidate) : []),
  ];
  pass.candidates += deps.keepCandidates(pass.project, weak);
  if (saves.length === 0) return;
  const view = deps.viewOf(request.memoryDir);
  const changes = planChanges(saves, {
    memories: view.memories,
    taken: view.taken,
    today: deps.today(),
    timeZone: deps.clock.timeZone(),
    origin: request.projects.length > 1 ? pass.project.root : undefined,
  });
  const texts = new Map(
    rendered.flatMap((record) => ("text" in record ? [[record.recordId, record.text]] : [])),
  );
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
    noteCommit(pass, await deps.commit(set, { evidenceTexts: texts, sharedFolder }));
  }
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

function asCandidate(found: {
  memory: Candidate["memory"];
  evidence: readonly Candidate["evidence"][];
  cue: string;
}): Candidate[] {
  const [evidence] = found.evidence;
  return evidence === undefined ? [] : [{ memory: found.memory, evidence, cue: found.cue }];
}
