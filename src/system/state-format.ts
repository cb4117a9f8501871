// `stamps/format`: which engramd wrote this state folder last, so that an older one refuses what it does not know
// instead of taking it for damaged. Says so plainly and resets nothing.
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { isFields, parseJson } from "../domain/json.ts";
import { VERSION } from "../domain/version.ts";
import type { Files } from "./files.ts";
import type { Paths } from "./paths.ts";

/** Raised with a change of the state that an older engramd would misread. */
const STATE_FORMAT = 1;
const STAMP_BYTES_MAX = 10_000;

export interface StateFormatDeps {
  readonly files: Files;
  readonly paths: Pick<Paths, "stateDir">;
}

interface Stamp {
  readonly format: number;
  /** Version of the engramd that wrote it. */
  readonly engramd: string;
}

/**
 * What is wrong with the state for this engramd; undefined when nothing is. Exit 1, not 3: no setting is wrong. A
 * service manager gives up after its few starts.
 */
export function stateFormatProblem(deps: StateFormatDeps): AppError | undefined {
  const stamp = readStamp(deps);
  if (stamp === undefined || stamp.format <= STATE_FORMAT) return undefined;
  return new AppError({
    code: "state-too-new",
    message: `${deps.paths.stateDir} was written by engramd ${stamp.engramd} (state format ${stamp.format}); this is engramd ${VERSION}, which knows format ${STATE_FORMAT}`,
    fix: `run engramd ${stamp.engramd} or newer; nothing was changed`,
    disposition: "stop",
  });
}

/** Throws `state-too-new`. */
export function assertStateFormat(deps: StateFormatDeps): void {
  const problem = stateFormatProblem(deps);
  if (problem !== undefined) throw problem;
}

/** Once the state is ours alone: a newer engramd may have had it while we waited. Throws `state-too-new`. */
export function noteStateFormat(deps: StateFormatDeps): void {
  assertStateFormat(deps);
  const { files } = deps;
  const stamp = readStamp(deps);
  if (stamp?.format === STATE_FORMAT && stamp.engramd === VERSION) return;
  files.ensureFolder(join(deps.paths.stateDir, "stamps"));
  files.replace(stampFile(deps), `${JSON.stringify({ v: 1, format: STATE_FORMAT, engramd: VERSION })}\n`);
}

function stampFile({ paths }: StateFormatDeps): string {
  return join(paths.stateDir, "stamps", "format");
}

/** A stamp nobody can read says nothing: every file still judges its own version. */
function readStamp(deps: StateFormatDeps): Stamp | undefined {
  const content = deps.files.read(stampFile(deps), STAMP_BYTES_MAX);
  if (content === undefined) return undefined;
  return parseStamp(parseJson(content.toString("utf8")));
}

function parseStamp(value: unknown): Stamp | undefined {
  if (!isFields(value)) return undefined;
  const { format, engramd } = value;
  if (typeof format !== "number") return undefined;
  const version = typeof engramd === "string" ? engramd : "";
  return { format, engramd: /^[\w.+-]{1,40}$/u.test(version) ? version : "a newer one" };
}
