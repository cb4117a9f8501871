// One HTTP/1.1 question over a Unix socket, without node:http: a status call must cost next to nothing.
// Whatever answers is not trusted: time and size are bounded, the head is checked.
import { connect } from "node:net";
import { AppError, EXIT, systemCode } from "../../domain/errors.ts";
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import type { Clock } from "../../system/clock.ts";

export interface Question {
  readonly socket: string;
  readonly method: "GET" | "POST";
  /** Path and query, already encoded. */
  readonly target: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Undefined for work that may take as long as it takes: `vigil.ts` sees to it that somebody is there. */
  readonly answerMs: number | undefined;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Throws an AppError: `not-running` (exit 5) when nobody listens, `daemon-silent` after `answerMs` or in the middle of an
 * answer, `daemon-went-away` when the connection ends too early, `bad-answer` for anything that is no HTTP.
 */
export function exchange(question: Question, clock: Clock): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(question.socket);
    const reader = createAnswerReader();
    const { answerMs, signal } = question;
    const patience = (ms: number) => clock.setTimer(ms, () => fail(silent(ms)));
    let timer = answerMs === undefined ? undefined : patience(answerMs);
    const settle = (how: () => void) => {
      timer?.cancel();
      signal?.removeEventListener("abort", abort);
      socket.destroy();
      how();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const abort = () => fail(signal?.reason);
    const advance = (read: () => Answer | undefined) => {
      try {
        const answer = read();
        if (answer !== undefined) settle(() => resolve(answer));
      } catch (error) {
        fail(error);
      }
    };
    if (signal?.aborted === true) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    socket.once("connect", () => socket.write(requestText(question)));
    socket.on("data", (bytes) => {
      // The work is over once its answer begins: the rest of it is a matter of moments.
      timer ??= patience(SOCKET_LIMITS.requestMs);
      advance(() => reader.push(bytes));
    });
    socket.once("end", () => advance(() => reader.end()));
    socket.once("error", (error) => fail(connectionError(error, question.socket)));
  });
}

function requestText({ method, target, body }: Question): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const head = [`${method} ${target} HTTP/1.1`, "Host: engramd", "Connection: close"];
  if (body !== undefined) {
    head.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`);
  }
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}

/** ENOTDIR: a part of the path is a file, so that nobody can listen below it. */
const NOBODY: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK", "ENOTDIR"]);

function connectionError(error: Error, path: string): AppError {
  const code = systemCode(error) ?? "unknown";
  if (NOBODY.has(code)) {
    return new AppError({
      code: "not-running",
      message: "the daemon is not running",
      fix: 'start it with "engramd run"',
      exitCode: EXIT.notRunning,
      cause: error,
    });
  }
  if (code === "EPIPE" || code === "ECONNRESET") return wentAway(error);
  // The queue of connections is full: whoever listens takes none.
  if (code === "EAGAIN") return notAnswering("the daemon takes no connection");
  return new AppError({
    code: "socket-unusable",
    message: `${path} cannot be used (${code})`,
    fix: "look at the socket's owner and mode",
    cause: error,
  });
}

function silent(answerMs: number): AppError {
  return notAnswering(`the daemon did not answer within ${answerMs / 1000} s`);
}

/** Another engramd has the state and says nothing: nobody else may do its work meanwhile. */
export function notAnswering(message: string): AppError {
  return new AppError({
    code: "daemon-silent",
    message,
    fix: 'it is stopped, hangs or is very busy: try again, then "engramd restart", or end its process; nothing is lost by that',
    disposition: "retry",
    exitCode: EXIT.alreadyRunning,
  });
}

function wentAway(cause?: unknown): AppError {
  return new AppError({
    code: "daemon-went-away",
    message: "the daemon ended the connection before it answered",
    fix: 'look at "engramd status" and try again',
    disposition: "retry",
    cause,
  });
}

/** A well-behaved server's head has a few hundred bytes. */
const HEAD_BYTES_MAX = 16_384;
const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";

interface AnswerReader {
  /** Undefined while more has to come. */
  push(bytes: Buffer): Answer | undefined;
  end(): Answer;
}

interface Head {
  readonly status: number;
  /** Bytes of the head including the empty line. */
  readonly bytes: number;
  readonly framing:
    | { readonly kind: "length"; readonly bytes: number }
    | { readonly kind: "chunked" | "until-end" };
}

function createAnswerReader(): AnswerReader {
  const parts: Buffer[] = [];
  let total = 0;
  let head: Head | undefined;
  return {
    push(bytes) {
      parts.push(bytes);
      total += bytes.length;
      if (total > SOCKET_LIMITS.answerBytesMax) throw bad("is too large");
      head ??= parseHead(Buffer.concat(parts));
      if (head === undefined) return undefined;
      const { framing } = head;
      if (framing.kind === "length" && total < head.bytes + framing.bytes) return undefined;
      if (framing.kind === "until-end") return undefined;
      // Joining again for every chunk would be quadratic; the end of the body looks like this.
      if (framing.kind === "chunked" && !endsWith(parts, LAST_CHUNK)) return undefined;
      return finish(head, Buffer.concat(parts));
    },
    end() {
      const answer = head === undefined ? undefined : finish(head, Buffer.concat(parts));
      if (answer === undefined) throw wentAway();
      return answer;
    },
  };
}

function endsWith(parts: readonly Buffer[], tail: string): boolean {
  return Buffer.concat(parts.slice(-tail.length)).subarray(-tail.length).toString("latin1") === tail;
}

function parseHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end > HEAD_BYTES_MAX || (end < 0 && bytes.length > HEAD_BYTES_MAX)) throw bad("has no end of its head");
  if (end < 0) return undefined;
  const [first = "", ...fields] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw bad("is no HTTP");
  return { status: Number(status), bytes: end + HEAD_END.length, framing: framingOf(fields) };
}

function framingOf(fields: readonly string[]): Head["framing"] {
  const value = (name: string) =>
    fields
      .find((field) => field.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  if (value("transfer-encoding")?.toLowerCase() === "chunked") return { kind: "chunked" };
  const length = value("content-length");
  if (length === undefined) return { kind: "until-end" };
  if (!/^\d{1,12}$/.test(length)) throw bad("has a bad length");
  return { kind: "length", bytes: Number(length) };
}

/** Undefined when the body is not complete. */
function finish({ status, bytes, framing }: Head, all: Buffer): Answer | undefined {
  const rest = all.subarray(bytes);
  const body = framing.kind === "chunked" ? joinChunks(rest) : rest;
  if (body === undefined || (framing.kind === "length" && body.length < framing.bytes)) return undefined;
  return { status, text: body.toString("utf8", 0, framing.kind === "length" ? framing.bytes : body.length) };
}

/** The bytes of all chunks; undefined when the last one is not there yet. */
function joinChunks(body: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = /^([\da-f]{1,7})(?:;|$)/i.exec(body.toString("latin1", at, lineEnd))?.[1];
    if (size === undefined) throw bad("has a broken chunk");
    const bytes = Number.parseInt(size, 16);
    if (bytes === 0) return Buffer.concat(chunks);
    const start = lineEnd + 2;
    chunks.push(body.subarray(start, start + bytes));
    at = start + bytes + 2;
  }
  return undefined;
}

function bad(why: string): AppError {
  return new AppError({
    code: "bad-answer",
    message: `the answer at the daemon's socket ${why}`,
    fix: "look at what listens there",
  });
}
