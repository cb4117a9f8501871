// HTTP on the Unix socket: its life, its clients and their limits. What is answered is `answering.ts`.
import { createServer } from "node:http";
import type { Server } from "node:http";
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import type { Clock } from "../../system/clock.ts";
import { wait } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import type { LocalSocket } from "../../system/local-socket.ts";
import { listenLocally } from "../../system/local-socket.ts";
import type { AnswerDeps } from "./answering.ts";
import { handle } from "./answering.ts";
import { createConnections } from "./connections.ts";
import { createKeptAnswer } from "./kept-answer.ts";
import { limitPatience } from "./patience.ts";

export interface ControlServerDeps extends AnswerDeps {
  readonly socketPath: string;
  readonly files: Files;
  readonly clock: Clock;
  /** For tests; default `SOCKET_LIMITS`. */
  readonly limits?: ControlLimits;
}

export type ControlLimits = {
  readonly [K in "clientsMax" | "bodyBytesMax" | "headersMs" | "requestMs"]: number;
};

export interface ControlServer {
  /** Resolves once clients are accepted, or `wish` aborts before. Throws what `listenLocally` throws. Called once. */
  start(wish?: AbortSignal): Promise<void>;
  /** Removes the socket, lets running answers finish for `withinMs`, then closes them. May be called twice. */
  stop(options: { readonly withinMs: number }): Promise<void>;
}

export function createControlServer(deps: ControlServerDeps): ControlServer {
  const limits = deps.limits ?? SOCKET_LIMITS;
  const connections = createConnections(limits.clientsMax);
  const server = createHttpServer(limits, deps.clock);
  const kept = createKeptAnswer(deps.clock);
  const asked = { deps, connections, kept, bodyBytesMax: limits.bodyBytesMax };
  server.on("connection", (socket) => connections.add(socket));
  server.on("request", (request, response) => void handle({ ...asked, request, response }));
  let socket: LocalSocket | undefined;
  return {
    async start(wish) {
      socket = await listenLocally(server, { ...deps, path: deps.socketPath, wish });
    },
    async stop({ withinMs }) {
      socket?.remove();
      deps.events?.close();
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
