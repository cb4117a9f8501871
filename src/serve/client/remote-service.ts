// The daemon's answers, asked over its socket. Holds no connection between two questions.
import { dirname } from "node:path";
import { AppError, EXIT } from "../../domain/errors.ts";
import { fieldOf, parseJson } from "../../domain/json.ts";
import type { EngramdService } from "../../domain/service.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import { whyNotPrivate } from "../../system/private-folder.ts";
import type { CallShape } from "./calls.ts";
import { CALLS } from "./calls.ts";
import type { DaemonAddress } from "./daemon-file.ts";
import type { Answer, Question } from "./exchange.ts";
import { exchange } from "./exchange.ts";
import type { Vigil } from "./vigil.ts";
import { exchangeWatched } from "./vigil.ts";
import { parseStatus } from "./last-status.ts";
import { parseErrorDocument } from "./wire.ts";

export interface RemoteServiceDeps {
  readonly address: DaemonAddress;
  readonly files: Files;
  readonly clock: Clock;
  /** Told now and then, while a long answer is waited for, since when nobody shows a sign of life. */
  readonly onLook?: Vigil["onLook"];
}

/** Every method throws `not-running` (exit 5) when no daemon listens; nothing was done then. */
export function createRemoteService(deps: RemoteServiceDeps): EngramdService {
  const service: Partial<Record<keyof EngramdService, (request?: object) => Promise<unknown>>> = {};
  for (const name of Object.keys(CALLS) as (keyof EngramdService)[]) {
    service[name] = (request) => ask(deps, questionOf(CALLS[name], request));
  }
  const { status, ...rest } = service as EngramdService;
  // The one answer a status bar shows without looking: its fields are checked.
  return { ...rest, status: async () => parseStatus(await status()) ?? unexpected("status") };
}

function questionOf({ method, path, answerMs }: CallShape, request: object = {}): Omit<Question, "socket"> {
  if (method === "POST") return { method, target: path, body: request, answerMs };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    if (value !== undefined && value !== false) query.set(name, String(value));
  }
  return { method, target: query.size === 0 ? path : `${path}?${query.toString()}`, answerMs };
}

/** A document of version 1, or the error the daemon answered with. */
async function ask(deps: RemoteServiceDeps, question: Omit<Question, "socket">): Promise<unknown> {
  const { status, text } = await exchangeWithAny(deps, question);
  const document = parseJson(text);
  const error = parseErrorDocument(document);
  if (error !== undefined) throw error;
  if (status !== 200 || fieldOf(document, "v") !== 1) return unexpected(question.target);
  return document;
}

/** Asks the first socket at which somebody listens. */
async function exchangeWithAny(
  { address, files, ...vigil }: RemoteServiceDeps,
  question: Omit<Question, "socket">,
): Promise<Answer> {
  let nobody: unknown;
  for (const socket of address.sockets) {
    refuseForeignFolder(files, socket);
    try {
      const asked = { ...question, socket };
      return await (question.answerMs === undefined
        ? exchangeWatched(asked, vigil)
        : exchange(asked, vigil.clock));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not-running") throw error;
      nobody = error;
    }
  }
  throw nobody;
}

/** A folder another user may write could hold another user's daemon, and we would tell it what we remember. */
function refuseForeignFolder(files: Files, socket: string): void {
  const folder = dirname(socket);
  const why = whyNotPrivate(files, folder);
  if (why === undefined) return;
  throw new AppError({
    code: "socket-folder-unsafe",
    message: `${folder} ${why}`,
    fix: "remove that folder or set XDG_RUNTIME_DIR to one of your own",
    exitCode: EXIT.failed,
  });
}

function unexpected(what: string): never {
  throw new AppError({
    code: "bad-answer",
    message: `the daemon's answer to ${what} is not one this version knows`,
    fix: "restart the daemon so that both have one version",
  });
}
