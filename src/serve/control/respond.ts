// How answers are written: documents, text, errors, and the head of a response without an end. Decides nothing.
import type { ServerResponse } from "node:http";
import type { Disposition } from "../../domain/errors.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import { displayJson } from "../../domain/printable.ts";
import { errorDocument } from "../client/wire.ts";

const STATUS_OF: Readonly<Record<string, number>> = {
  "bad-request": 400,
  "bad-host": 403,
  "no-such-route": 404,
  "bad-method": 405,
  "body-too-large": 413,
};

const MAY_HELP_LATER: ReadonlySet<Disposition> = new Set(["retry", "wait"]);

function statusOf(error: AppError | undefined): number {
  if (error === undefined) return 500;
  return STATUS_OF[error.code] ?? (MAY_HELP_LATER.has(error.disposition) ? 503 : 422);
}

/** An AppError is a "no" that was foreseen; anything else is a bug of ours. */
export function sendError(response: ServerResponse, error: unknown): void {
  const known = error instanceof AppError ? error : undefined;
  sendJson(response, { status: statusOf(known), document: errorDocument(known ?? internal(error)) });
}

function internal(error: unknown): AppError {
  return new AppError({
    code: "internal",
    message: messageOf(error),
    fix: "look at the daemon's log",
    cause: error,
  });
}

export function sendJson(
  response: ServerResponse,
  { status, document }: { readonly status: number; readonly document: unknown },
): void {
  sendText(response, { status, contentType: JSON_TYPE, text: jsonText(document) });
}

export const JSON_TYPE = "application/json; charset=utf-8";

export function jsonText(document: unknown): string {
  return `${displayJson(document)}\n`;
}

interface Text {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export function sendText(response: ServerResponse, { status, contentType, text }: Text): void {
  // A client that asks and then does not read is cut off. No listener: a kept connection would gather one an answer.
  response.socket?.setTimeout(SOCKET_LIMITS.requestMs);
  response.writeHead(status, {
    ...headers(contentType),
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** A response without an end: who reads too slowly is the stream's to notice. */
export function eventsResponse(response: ServerResponse, contentType: string): ServerResponse {
  response.socket?.setTimeout(0);
  response.shouldKeepAlive = false;
  response.statusCode = 200;
  for (const [name, value] of Object.entries(headers(contentType))) response.setHeader(name, value);
  return response;
}

function headers(contentType: string): Record<string, string> {
  return {
    "Content-Type": contentType,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  };
}
