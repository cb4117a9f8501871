// The steps of one dream over a folder that is held: a model's proposals as one set, then what needs no judgement. Half
// of a dream is never committed; what somebody changes meanwhile stays, and the model looks at it once more.
import type { ChangeSet, RefusalCode, Verdict } from "../../../domain/changes.ts";
import type {
  ConsolidationChange,
  ConsolidationNote,
  ConsolidationReply,
} from "../../../domain/consolidation.ts";
import type { Account } from "../../models/budget.ts";
import type { Hold } from "../consolidating.ts";
import type { ModelReader } from "../model-reader.ts";
import { dreamByModel, type Proposed } from "./by-model.ts";
import type { Dreaming } from "./contract.ts";
import type { Progress } from "./progress.ts";
import { changesTold, failedReply, sizeAfter, waitingFor } from "./report.ts";
import { folderSize } from "../folder-size.ts";

/** A second look when somebody changed the folder while the model was thinking; no third one. */
const ATTEMPTS = 2;

export interface Held extends Dreaming {
  readonly hold: Pick<Hold, "assertOurs">;
  readonly account: Account;
  readonly progress: Progress;
  readonly reader: ModelReader | undefined;
}

/**
 * Rejects with what the model, the disk or the signal rejects with. Nothing of the model's is on disk then, unless the disk
 * failed, or somebody took the folder, right after the commit.
 */
export async function dreamOver(held: Held): Promise<ConsolidationReply> {
  const { ask, project, deps, signal, progress } = held;
  const { memoryDir, run, trigger, projects, dryRun = false } = ask;
  const before = folderSize(deps.viewOf(memoryDir));
  progress.reach("orient");
  const made = held.reader === undefined ? NOTHING : await byModel({ ...held, reader: held.reader });
  if ("failed" in made) return failedReply(made.failed, { run, before, noted: made.noted });
  progress.reach("prune");
  // After a commit there is no way back, and what follows takes a moment.
  if (dryRun || made.changes.length === 0) signal.throwIfAborted();
  held.hold.assertOurs();
  const tidied = await deps.tidying.run({
    memoryDir,
    run,
    trigger,
    project,
    dryRun,
    sharedFolder: projects.length > 1,
  });
  const changes = [...made.changes, ...tidied.changes];
  return {
    v: 1,
    outcome: "succeeded",
    reason: null,
    run,
    changes,
    noted: [...made.noted, ...tidied.noted],
    before,
    after: dryRun ? sizeAfter(before, changes) : folderSize(deps.viewOf(memoryDir)),
    ...(dryRun ? { diff: `${made.diff}${tidied.diff}` } : {}),
  };
}

interface Made {
  readonly changes: readonly ConsolidationChange[];
  readonly noted: readonly ConsolidationNote[];
  /** Only of a dry run. */
  readonly diff: string;
}

const NOTHING: Made = { changes: [], noted: [], diff: "" };

interface Failure {
  readonly failed: string;
  readonly noted: readonly ConsolidationNote[];
}

type WithReader = Held & { readonly reader: ModelReader };

async function byModel(held: WithReader): Promise<Made | Failure> {
  for (let attempt = 1; ; attempt += 1) {
    const proposed = await dreamByModel(held);
    if ("failed" in proposed) return { ...proposed, noted: [] };
    if (proposed.changes.length === 0) return { ...NOTHING, noted: proposed.noted };
    held.progress.reach("prune");
    held.signal.throwIfAborted();
    const made = held.ask.dryRun === true ? await rehearsed(proposed, held) : await committed(proposed, held);
    if (!("failed" in made) || made.failed === "loss" || attempt === ATTEMPTS) return made;
  }
}

function setOf({ ask, project }: Dreaming, { changes }: Proposed): ChangeSet {
  const { run, trigger, memoryDir } = ask;
  return { run, kind: "dream", trigger, project, memoryDir, producer: "model", changes };
}

async function committed(proposed: Proposed, held: WithReader): Promise<Made | Failure> {
  held.hold.assertOurs();
  const result = await held.deps.commit(setOf(held, proposed), proposed.options);
  const { verdicts, written } = result;
  const reason = refusalIn(verdicts);
  if (reason !== undefined && written.length === 0) return { failed: reason, noted: proposed.noted };
  const files = new Set(written.map(({ file }) => file));
  const changes = proposed.changes.filter(({ file }) => files.has(file.normalize("NFC")) || files.has(file));
  const noted = [...waitingFor(result), ...proposed.noted];
  return { changes: changesTold(changes), noted, diff: "" };
}

async function rehearsed(proposed: Proposed, held: WithReader): Promise<Made | Failure> {
  const { deps } = held;
  const { verdicts, files } = await deps.rehearse(setOf(held, proposed), proposed.options);
  const reason = refusalIn(verdicts);
  if (reason !== undefined) return { failed: reason, noted: proposed.noted };
  let diff = "";
  for (const { file, before = "", after = "" } of files)
    diff += (await deps.patchOf(file, before, after)) ?? "";
  return { changes: changesTold(proposed.changes), noted: proposed.noted, diff };
}

function refusalIn(verdicts: readonly Verdict[]): RefusalCode | undefined {
  const first = verdicts.find(({ accepted }) => !accepted);
  return first === undefined || first.accepted ? undefined : first.reason;
}
