// `daemon.json`: who runs and where it listens. The daemon writes it, clients read it first. Never proof of life.
import { join } from "node:path";
import { fieldOf, parseJson } from "../../domain/json.ts";
import type { Files } from "../../system/files.ts";
import type { Paths } from "../../system/paths.ts";

export interface DaemonFile {
  readonly pid: number;
  readonly socket: string;
  readonly version: string;
}

/** Where to ask, best guess first, and who should answer. */
export interface DaemonAddress {
  readonly sockets: readonly string[];
  readonly pid: number | undefined;
  readonly version: string | undefined;
}

export interface DaemonFileDeps {
  readonly files: Files;
  readonly paths: Pick<Paths, "stateDir" | "socket">;
}

const DAEMON_FILE_BYTES_MAX = 16_384;

export function saveDaemonFile({ files, paths }: DaemonFileDeps, daemon: DaemonFile): void {
  files.replace(daemonFilePath(paths), `${JSON.stringify({ v: 1, ...daemon })}\n`);
}

/** Removes the file if it still names `pid`: a successor's file stays. */
export function removeDaemonFile({ files, paths }: DaemonFileDeps, pid: number): void {
  if (readDaemonFile({ files, paths })?.pid === pid) files.remove(daemonFilePath(paths));
}

/** Reads `daemon.json`; a missing or damaged one leaves the default socket path. Connects to nothing. */
export function findDaemon({ files, paths }: DaemonFileDeps): DaemonAddress {
  const file = readDaemonFile({ files, paths });
  return {
    sockets: [...new Set([file?.socket ?? paths.socket, paths.socket])],
    pid: file?.pid,
    version: file?.version,
  };
}

function daemonFilePath(paths: Pick<Paths, "stateDir">): string {
  return join(paths.stateDir, "daemon.json");
}

function readDaemonFile({ files, paths }: DaemonFileDeps): DaemonFile | undefined {
  let document: unknown;
  try {
    const content = files.read(daemonFilePath(paths), DAEMON_FILE_BYTES_MAX);
    if (content === undefined) return undefined;
    document = parseJson(content.toString("utf8"));
  } catch {
    // A hint only: whatever is wrong with it, the default path is asked next.
    return undefined;
  }
  const pid = fieldOf(document, "pid");
  const socket = fieldOf(document, "socket");
  const version = fieldOf(document, "version");
  if (typeof pid !== "number" || typeof socket !== "string" || typeof version !== "string") return undefined;
  return socket.startsWith("/") ? { pid, socket, version } : undefined;
}
