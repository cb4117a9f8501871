// One request: checks who asks and how much, finds the route, turns errors into answers.
// Never reaches into parts: everything it tells comes from what it is handed.
import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "../../domain/errors.ts";
import type { EngramdService } from "../../domain/service.ts";
import { VERSION } from "../../domain/version.ts";
import { loadLate } from "../../system/late-module.ts";
import { readBody } from "./body.ts";
import type { Connections } from "./connections.ts";
import type { EventStream } from "./event-stream.ts";
import type { KeptAnswer } from "./kept-answer.ts";
import type { Given } from "./input.ts";
import { parseBody, parseQuery } from "./input.ts";
import { eventsResponse, JSON_TYPE, jsonText, sendError, sendJson, sendText } from "./respond.ts";
import type { Page, Route } from "./routes.ts";
import { PAGES, ROUTES } from "./routes.ts";

export interface AnswerDeps {
  readonly service: EngramdService;
  /** Without it there is no such route, as with `metrics`. */
  readonly events?: EventStream;
  /** The OpenMetrics text of now. */
  readonly metrics?: () => Promise<string>;
  /** Told of every failure that is no AppError; it must not throw. */
  readonly onFailure: (error: unknown) => void;
}

export interface Exchange {
  readonly deps: AnswerDeps;
  readonly bodyBytesMax: number;
  readonly connections: Connections;
  /** The answer of the route that is kept. */
  readonly kept: KeptAnswer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers one request; never rejects. */
export async function handle(exchange: Exchange): Promise<void> {
  const { deps, request, response } = exchange;
  try {
    await answer(exchange);
  } catch (error) {
    if (!(error instanceof AppError)) deps.onFailure(error);
    // A request that was refused before it was read: the rest of it must not be taken for the next one.
    response.shouldKeepAlive &&= request.complete;
    sendError(response, error);
  }
}

/** Names a client may give for us; a page in a browser that was lured here would bring its own. */
const HOSTS = /^(?:engramd|localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

async function answer(exchange: Exchange): Promise<void> {
  const { bodyBytesMax, request, response } = exchange;
  if (!HOSTS.test(request.headers.host ?? "")) {
    throw new AppError({
      code: "bad-host",
      message: "the Host header names another server",
      fix: "use http://engramd/",
    });
  }
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const isAsked = (one: Route | Page) => one.path === path && one.method === request.method;
  const page = PAGES.find(isAsked);
  const route = ROUTES.find(isAsked);
  if (page !== undefined) {
    occupy(exchange);
    return answerPage(page, exchange);
  }
  if (route === undefined) throw noRoute(path);
  const given =
    route.method === "GET"
      ? parseQuery(query, route.fields)
      : parseBody(await readBody(request, bodyBytesMax));
  // Only now: whoever is still sending has done nothing that an idle client could not do.
  occupy(exchange);
  const text = await textOf({ route, given }, exchange);
  sendText(response, { status: 200, contentType: JSON_TYPE, text });
}

interface Asked {
  readonly route: Route;
  readonly given: Given;
}

async function textOf({ route, given }: Asked, { deps, kept }: Exchange): Promise<string> {
  const make = async () => jsonText(await route.answer(deps.service, given));
  if (route.method === "GET") {
    return route.isKept === true && Object.keys(given).length === 0 ? kept.text(make) : make();
  }
  try {
    return await make();
  } finally {
    kept.forget();
  }
}

/** Until the answer is complete, or nobody waits for it any more, the connection is not idle. */
function occupy({ connections, request, response }: Exchange): void {
  connections.busy(request.socket);
  response.once("close", () => connections.idle(request.socket));
}

async function answerPage({ name, contentType }: Page, { deps, request, response }: Exchange): Promise<void> {
  const { events, metrics } = deps;
  if (name === "events" && events !== undefined) {
    const lastId = String(request.headers["last-event-id"] ?? "");
    events.follow(eventsResponse(response, contentType), lastId);
  } else if (name === "metrics" && metrics !== undefined) {
    sendText(response, { status: 200, contentType, text: await metrics() });
  } else if (name === "openapi") {
    const { openApiDocument } = await loadLate(() => import("./openapi.ts"));
    const document = openApiDocument({ version: VERSION, routes: ROUTES, pages: PAGES });
    sendJson(response, { status: 200, document });
  } else throw noRoute("");
}

function noRoute(path: string): AppError {
  const all = [...ROUTES, ...PAGES];
  const known = all.some((route) => route.path === path);
  return new AppError({
    code: known ? "bad-method" : "no-such-route",
    message: known ? "that route has another method" : "there is no such route",
    fix: `use one of ${all.map((route) => `${route.method} ${route.path}`).join(", ")}`,
  });
}
