// What the gate refused of a session and a person may know better: it waits in the inbox with the reason. Decides nothing.
import type { MemoryChange, Producer, Verdict } from "../../../domain/changes.ts";
import { BUSY_FILE, offerOf, offersOfRefused } from "../refused.ts";
import type { Learning } from "./pass.ts";

export function keepRefused(
  { verdicts, producer }: { readonly verdicts: readonly Verdict[]; readonly producer: Producer },
  { pass, deps, request }: Learning,
): void {
  // Most runs have nothing refused: the folder is not read for them.
  if (verdicts.every(({ accepted }) => accepted)) return;
  const { memories } = deps.viewOf(request.memoryDir);
  const offered = offersOfRefused({ verdicts, producer, memories });
  if (offered.length === 0) return;
  const kept = deps.keepForReview(pass.project, offered);
  pass.candidates += kept;
  pass.quarantined += kept;
}

/** For what could not be committed twice: somebody works on the same file. */
export function keepForPerson(changes: readonly MemoryChange[], learning: Learning): void {
  const { pass, deps } = learning;
  const offered = changes.flatMap((change) => offerOf(change, BUSY_FILE));
  if (offered.length > 0) pass.candidates += deps.keepForReview(pass.project, offered);
}
