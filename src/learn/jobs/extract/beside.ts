// Findings beside the instruction files of the project: which words stand whatever a file says, and which memory names the
// file whose rule it sharpens. Refuses nothing; that is the gate's.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { MemoryDraft } from "../../../domain/memories.ts";
import type { TranscriptRecord } from "../../../domain/records.ts";
import { type InstructionFile, type Related, relatedTo } from "../../../memory/gate/instructions.ts";
import { naming } from "../../offline/draft.ts";
import { hasUrgentCue } from "../../offline/extract.ts";
import type { WindowFindings } from "./contract.ts";
import type { Learning } from "./pass.ts";
import { contradicts } from "../replace.ts";

/** Messages that ask to remember something outright: they are stored whatever an instruction file says. */
export function insistedIn(
  saves: WindowFindings["saves"],
  records: readonly TranscriptRecord[],
): ReadonlySet<string> {
  const used = new Set(saves.flatMap(({ evidence }) => evidence.map(({ recordId }) => recordId)));
  return new Set(
    records.flatMap((each) =>
      each.kind === "user-text" && used.has(each.recordId) && hasUrgentCue(each.text) ? [each.recordId] : [],
    ),
  );
}

/** What sharpens a rule of an instruction file, or goes against one, names the file. */
export function besideInstructions(
  changes: readonly MemoryChange[],
  { pass, request, deps }: Learning,
): readonly MemoryChange[] {
  if (changes.every(({ op }) => op !== "create")) return changes;
  const set = { project: pass.project, producer: "offline", memoryDir: request.memoryDir } as const;
  const ask = { set, today: deps.today(), sharedFolder: request.projects.length > 1 };
  const files = deps.preview(ask).instructions?.() ?? [];
  return changes.map((change) => {
    if (change.op !== "create") return change;
    const related = relatedTo(change.memory, files) ?? opposed(change.memory, files);
    if (related === undefined) return change;
    return { ...change, memory: naming(change.memory, related.relation, related.file.name) };
  });
}

/** Another value for what a rule of the file sets. */
function opposed(memory: MemoryDraft, files: readonly InstructionFile[]): Related | undefined {
  const file = files.find(({ rules }) =>
    rules.some((body) => contradicts(memory, { type: "feedback", body })),
  );
  return file === undefined ? undefined : { relation: "differs", file };
}
