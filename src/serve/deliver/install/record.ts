// `install.json` in the state folder: what install changed outside it, so that uninstall undoes just that. Keeps
// fields it does not know.
import { join } from "node:path";
import { AppError } from "../../../domain/errors.ts";
import { isFields, parseJson } from "../../../domain/json.ts";
import type { Files } from "../../../system/files.ts";
import type { Paths } from "../../../system/paths.ts";
import type { ServiceKind } from "./service-commands.ts";
import type { Variable } from "./service-text.ts";

export interface InstalledService {
  readonly kind: ServiceKind;
  readonly file: string;
  /** Hashes of what we wrote there, the newest last; anything else was written by somebody else. */
  readonly hashes: readonly string[];
  /** Folders install made, each before those inside it. */
  readonly folders: readonly string[];
  readonly node: string;
  readonly entry: string;
  readonly network: boolean;
  /** What the service was told of the shell; absent when an older engramd installed it. */
  readonly environment?: readonly Variable[];
  /** ISO time of the last change. */
  readonly at: string;
}

export interface RecordDeps {
  readonly files: Files;
  readonly paths: Pick<Paths, "stateDir">;
}

const RECORD_BYTES_MAX = 1_000_000;

export function recordFile({ stateDir }: Pick<Paths, "stateDir">): string {
  return join(stateDir, "install.json");
}

/** Undefined when nothing is installed. Throws for a file that cannot be read: what to undo is then unknown. */
export function readInstalled(deps: RecordDeps): InstalledService | undefined {
  const document = readDocument(deps);
  return document["service"] === undefined ? undefined : parseService(deps, document["service"]);
}

/** What a person types to have a stopped engramd back: a service is started as one, not a second time beside it. */
export function startCommand(deps: RecordDeps): "engramd restart" | "engramd run" {
  try {
    return readInstalled(deps) === undefined ? "engramd run" : "engramd restart";
  } catch (error) {
    // Whoever only says how to start is not the one to tell of a damaged record: `doctor` does.
    if (error instanceof AppError) return "engramd run";
    throw error;
  }
}

/** Undefined forgets the service; the file goes with its last field. */
export function saveInstalled(deps: RecordDeps, service: InstalledService | undefined): void {
  const { files, paths } = deps;
  const { service: _old, v: _v, ...others } = readDocument(deps);
  if (service === undefined && Object.keys(others).length === 0) return files.remove(recordFile(paths));
  const document = { v: 1, ...(service === undefined ? {} : { service }), ...others };
  files.replace(recordFile(paths), `${JSON.stringify(document, null, 2)}\n`);
}

function readDocument({ files, paths }: RecordDeps): Readonly<Record<string, unknown>> {
  const content = files.read(recordFile(paths), RECORD_BYTES_MAX);
  if (content === undefined) return {};
  const document = parseJson(content.toString("utf8"));
  if (!isFields(document) || document["v"] !== 1) throw damaged(paths);
  return document;
}

function parseService({ paths }: RecordDeps, value: unknown): InstalledService {
  if (!isFields(value)) throw damaged(paths);
  const texts = ["file", "node", "entry", "at"].every((name) => typeof value[name] === "string");
  const lists = ["hashes", "folders"].every((name) => isTexts(value[name]));
  if (
    !texts ||
    !lists ||
    (value["environment"] !== undefined && !isVariables(value["environment"])) ||
    typeof value["network"] !== "boolean" ||
    (value["kind"] !== "systemd" && value["kind"] !== "launchd")
  )
    throw damaged(paths);
  return value as unknown as InstalledService;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isVariables(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => isFields(one) && typeof one["name"] === "string" && typeof one["value"] === "string")
  );
}

function damaged(paths: Pick<Paths, "stateDir">): AppError {
  return new AppError({
    code: "install-record-damaged",
    message: `${recordFile(paths)} cannot be read`,
    fix: "look at it; without it the service is removed by hand",
  });
}
