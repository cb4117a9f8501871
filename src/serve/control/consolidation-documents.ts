// The schema of what `dream` and `distill` answer. Describes only.
import type {
  ConsolidationChange,
  ConsolidationNote,
  ConsolidationReply,
  ConsolidationSize,
} from "../../domain/consolidation.ts";
import * as is from "./json-schema.ts";

export const consolidationSize = is.object<ConsolidationSize>({ files: is.count, indexLines: is.count });

export const consolidation = is.named(
  "ConsolidationReply",
  is.object<ConsolidationReply>({
    v: is.oneOf(1),
    outcome: is.oneOf("succeeded", "skipped", "failed"),
    reason: is.orNull(is.text),
    run: is.orNull(is.text),
    changes: is.listOf(
      is.object<ConsolidationChange>({
        op: is.oneOf("create", "update", "delete", "index"),
        file: is.text,
        why: is.text,
      }),
    ),
    noted: is.listOf(is.object<ConsolidationNote>({ code: is.text, file: is.text, message: is.text })),
    before: consolidationSize,
    after: consolidationSize,
    dueAt: is.maybe(is.instant),
    tooLow: is.maybe(is.text),
    diff: is.maybe(is.text),
  }),
);
