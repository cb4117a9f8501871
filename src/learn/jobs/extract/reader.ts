// Which model reads a session, and whether it still may. Asks no model.
import { AppError } from "../../../domain/errors.ts";
import type { ModelReader } from "../model-reader.ts";
import { type Asking, isIgnored, type Learning, type SessionPass } from "./pass.ts";
import { isReadByRules } from "./progress.ts";

/** What was there before a model was allowed is read by rules, and so is what is only counted: a model may want it. */
export function readerOf({ pass: { entry, project }, deps }: Asking): ModelReader | undefined {
  const isOld = isReadByRules(entry.state);
  return isOld || !deps.settings(project).learns ? undefined : deps.readerFor(entry.source.agent);
}

/** Whether the person still lets this model read these words, and the project still learns. */
export function isStillReader(
  { entry, project }: SessionPass,
  deps: Learning["deps"],
  reader: ModelReader,
): boolean {
  const isReader = deps.readerFor(entry.source.agent)?.client === reader.client;
  return isReader && deps.settings(project).learns && !isIgnored(entry, deps);
}

export function tooSmall({ inputTokensMax }: ModelReader): AppError {
  return new AppError({
    code: "input-limit-too-small",
    message: `a request does not fit into ${inputTokensMax} input tokens`,
    fix: "raise extract.maxInputTokens",
    disposition: "give-up",
  });
}
