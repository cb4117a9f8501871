// HTTP on the Unix socket: checks who asks and how much, finds the route, turns errors into answers.
// Never reaches into parts: everything it tells comes from the service it is handed.
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { AppError, messageOf } from "../../domain/errors.ts";
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import { displayJson } from "../../domain/printable.ts";
import type { EngramdService } from "../../domain/service.ts";
import type { Clock } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import type { LocalSocket } from "../../system/local-socket.ts";
import { listenLocally } from "../../system/local-socket.ts";
import { errorDocument } from "../client/wire.ts";
import { createConnections } from "./connections.ts";
import type { Connections } from "./connections.ts";
import { badRequest, parseBody, parseQuery } from "./input.ts";
import { limitPatience } from "./patience.ts";
import { ROUTES } from "./routes.ts";

export interface ControlServerDeps {
  readonly service: EngramdService;
  readonly socketPath: string;
  readonly files: Files;
  readonly clock: Clock;
  /** Told of every failure that is no AppError; it must not throw. */
  readonly onFailure: (error: unknown) => void;
  /** For tests; default `SOCKET_LIMITS`. */
  readonly limits?: ControlLimits;
}

export type ControlLimits = {
  readonly [K in "clientsMax" | "bodyBytesMax" | "headersMs" | "requestMs"]: number;
};

export interface ControlServer {
  /** Resolves once clients are accepted. Throws what `listenLocally` throws. Called once. */
  start(): Promise<void>;
  /** Removes the socket, lets running answers finish for `withinMs`, then closes them. May be called twice. */
  stop(options: { readonly withinMs: number }): Promise<void>;
}

/** Names a client may give for us; a page in a browser that was lured here would bring its own. */
const HOSTS = /^(?:engramd|localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

export function createControlServer(deps: ControlServerDeps): ControlServer {
  const limits = deps.limits ?? SOCKET_LIMITS;
  const connections = createConnections(limits.clientsMax);
  const server = createHttpServer(limits, deps.clock);
  server.on("connection", (socket) => connections.add(socket));
  server.on("request", (request, response) => void handle({ deps, limits, connections, request, response }));
  let socket: LocalSocket | undefined;
  return {
    async start() {
      socket = await listenLocally(server, { path: deps.socketPath, files: deps.files, clock: deps.clock });
    },
    async stop({ withinMs }) {
      socket?.remove();
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.closeIdle();
      const expired = new AbortController();
      void closed.then(() => expired.abort());
      await wait(deps.clock, withinMs, expired.signal);
      connections.closeAll();
      await closed;
    },
  };
}

/** Node's check of its time limits never ends and wakes the process: as seldom as a timer can. */
const CHECK_MS = 2_147_000_000;

function createHttpServer(limits: ControlLimits, clock: Clock): Server {
  const server = createServer({
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: limits.headersMs,
    connectionsCheckingInterval: CHECK_MS,
    // A missing Host is answered by us, as JSON.
    requireHostHeader: false,
  });
  limitPatience(server, { clock, ...limits });
  return server;
}

interface Exchange {
  readonly deps: ControlServerDeps;
  readonly limits: ControlLimits;
  readonly connections: Connections;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function handle({ deps, limits, connections, request, response }: Exchange): Promise<void> {
  response.once("close", () => connections.idle(request.socket));
  try {
    send(response, { status: 200, document: await answer({ deps, limits, connections, request }) });
  } catch (error) {
    const known = error instanceof AppError ? error : undefined;
    if (known === undefined) deps.onFailure(error);
    // A request that was refused before it was read: the rest of it must not be taken for the next one.
    response.shouldKeepAlive &&= request.complete;
    send(response, { status: statusOf(known), document: errorDocument(known ?? internal(error)) });
  }
}

async function answer({ deps, limits, connections, request }: Omit<Exchange, "response">): Promise<unknown> {
  if (!HOSTS.test(request.headers.host ?? "")) {
    throw new AppError({
      code: "bad-host",
      message: "the Host header names another server",
      fix: "use http://engramd/",
    });
  }
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const route = ROUTES.find((candidate) => candidate.path === path && candidate.method === request.method);
  if (route === undefined) throw noRoute(path);
  const given =
    route.method === "GET"
      ? parseQuery(query, route.fields)
      : parseBody(await readBody(request, limits.bodyBytesMax));
  // Only now: whoever is still sending has done nothing that an idle client could not do.
  connections.busy(request.socket);
  return route.answer(deps.service, given);
}

function noRoute(path: string): AppError {
  const known = ROUTES.some((route) => route.path === path);
  return new AppError({
    code: known ? "bad-method" : "no-such-route",
    message: known ? "that route has another method" : "there is no such route",
    fix: `use one of ${ROUTES.map((route) => `${route.method} ${route.path}`).join(", ")}`,
  });
}

const STATUS_OF: Readonly<Record<string, number>> = {
  "bad-request": 400,
  "bad-host": 403,
  "no-such-route": 404,
  "bad-method": 405,
  "body-too-large": 413,
};

function statusOf(error: AppError | undefined): number {
  if (error === undefined) return 500;
  return STATUS_OF[error.code] ?? (error.disposition === "retry" ? 503 : 422);
}

function internal(error: unknown): AppError {
  return new AppError({
    code: "internal",
    message: messageOf(error),
    fix: "look at the daemon's log",
    cause: error,
  });
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const parts: Buffer[] = [];
  let total = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(part)) continue;
      total += part.length;
      if (total > bytesMax) throw tooLarge(bytesMax);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw badRequest("the request ended early", "send all of it");
  }
  return Buffer.concat(parts);
}

function tooLarge(bytesMax: number): AppError {
  return new AppError({
    code: "body-too-large",
    message: `the body has more than ${bytesMax} bytes`,
    fix: "send less",
  });
}

function send(response: ServerResponse, { status, document }: { status: number; document: unknown }): void {
  const text = `${displayJson(document)}\n`;
  // A client that asks and then does not read.
  response.socket?.setTimeout(SOCKET_LIMITS.requestMs, () => response.destroy());
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(text);
}
