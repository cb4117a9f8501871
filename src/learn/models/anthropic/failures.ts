// Gives every failure of a request its name. A table decides; no text of an answer gets any further, because servers
// quote what they were sent, and nothing that was thrown is kept as a cause: it may hold headers or words of a person.
import { fieldsOf } from "../../../domain/json.ts";
import type { AppError } from "../../../domain/errors.ts";
import { AppError as Known, systemCode } from "../../../domain/errors.ts";
import type { ModelFailureCode } from "../failure.ts";
import { modelFailure } from "../failure.ts";
import type { AnswerHeaders } from "./retry-hint.ts";
import { readRetryHint } from "./retry-hint.ts";

export interface FailureContext {
  readonly host: string;
  readonly now: number;
  /** Whether an answer had begun: what breaks then is the stream, not the connection. */
  readonly answered: boolean;
}

interface Rule {
  readonly code: ModelFailureCode;
  /** HTTP status, from and to; an error inside a stream has none. */
  readonly status?: readonly [from: number, to: number];
  /** The API's own error type, with or without a status. */
  readonly types?: readonly string[];
  /** What the beginning of the message has to say as well. */
  readonly says?: RegExp;
}

const TOO_LONG =
  /too long|context (?:length|window|size)|maximum context|exceeds? .{0,40}context|too many tokens/i;
const NO_CREDIT =
  /credit balance|plans? (?:&|and) billing|billing (?:details|limit)|insufficient (?:credit|funds|quota)/i;
const BAD_KEY =
  /(?:invalid|incorrect|wrong|expired|missing|malformed|revoked|disabled|no)\b.{0,20}\bapi[-_ ]?key|api[-_ ]?key\b.{0,20}\b(?:invalid|incorrect|wrong|expired|missing|not valid|not found|required|revoked|disabled)/i;
/** Characters of a message that are looked at: servers say first what is wrong, then quote. */
const SAID_CHARS_MAX = 200;

/** First match wins: a body that names overload counts whatever the status, and words come before statuses. */
const RULES: readonly Rule[] = [
  { code: "model-overloaded", status: [529, 529], types: ["overloaded_error"] },
  { code: "model-credit", status: [402, 402], types: ["billing_error"] },
  { code: "model-credit", status: [400, 400], types: ["invalid_request_error"], says: NO_CREDIT },
  { code: "model-key-rejected", status: [400, 400], types: ["invalid_request_error"], says: BAD_KEY },
  { code: "model-too-long", status: [413, 413], types: ["request_too_large"] },
  { code: "model-too-long", status: [400, 400], types: ["invalid_request_error"], says: TOO_LONG },
  { code: "model-key-rejected", status: [401, 401], types: ["authentication_error"] },
  { code: "model-key-rejected", status: [403, 403], types: ["permission_error"] },
  { code: "model-not-found", status: [404, 404], types: ["not_found_error"] },
  { code: "model-rate-limited", status: [429, 429], types: ["rate_limit_error"] },
  { code: "model-timeout", status: [408, 408], types: ["timeout_error"] },
  { code: "model-server-error", status: [409, 409] },
  { code: "model-request-rejected", status: [400, 499], types: ["invalid_request_error"] },
  { code: "model-server-error", status: [500, 599], types: ["api_error"] },
  // Redirects are not followed, and nothing else is a status of this API.
  { code: "model-answer-unusable", status: [0, 999] },
];
/** An error inside a stream whose type is new: the server failed after it had begun. */
const IN_STREAM: ModelFailureCode = "model-server-error";

/** A gateway that tired of waiting: behind it the model may have worked all the same. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 504, 524]);
/** The connection broke after it had been made; all other system errors mean that nothing was sent. */
const BROKEN_CODES: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE"]);

/** The API's own words for an error; any other word may be anybody's. */
const TYPES: ReadonlySet<string | undefined> = new Set(RULES.flatMap(({ types = [] }) => types));

/** The named failure behind anything that was thrown while a request ran. */
export function failureOf(error: unknown, context: FailureContext): AppError {
  const chain = causesOf(error);
  const known = chain.find((one) => one instanceof Known);
  if (known !== undefined) return known;
  const refusal = readRefusal(error);
  if (refusal !== undefined) return refusedBy(refusal, context);
  const { host, answered } = context;
  if (error instanceof Error && error.name === "APIConnectionTimeoutError") {
    return modelFailure("model-timeout", { detail: host });
  }
  if (error instanceof SyntaxError) {
    return modelFailure("model-answer-unusable", { detail: `${host} sent an event that is no JSON` });
  }
  const code = chain.map(systemCode).find((one) => one !== undefined && /^[A-Z][A-Z0-9_]{2,49}$/.test(one));
  const detail = code === undefined ? host : `${host}, ${code}`;
  return answered
    ? modelFailure("model-stream-cut", { detail })
    : modelFailure("model-unreachable", { detail, processed: BROKEN_CODES.has(code) });
}

/** The error and what caused it, outermost first. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one instanceof Error && chain.length < 10; one = one.cause) chain.push(one);
  return chain;
}

interface Refusal {
  readonly status: number | undefined;
  readonly type: string | undefined;
  /** Only to be searched. */
  readonly text: string;
  readonly headers: AnswerHeaders | undefined;
}

/** An answer with an error status, or an error event inside a stream; undefined for all other errors. */
function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !("status" in error) || !("error" in error)) return undefined;
  const said = fieldsOf(fieldsOf(error.error)?.["error"]) ?? fieldsOf(error.error);
  if (typeof error.status !== "number" && said === undefined) return undefined;
  const { type, message } = said ?? {};
  return {
    status: typeof error.status === "number" ? error.status : undefined,
    type: typeof type === "string" ? type : undefined,
    text: typeof message === "string" ? message.slice(0, SAID_CHARS_MAX) : "",
    headers: "headers" in error ? headersOf(error.headers) : undefined,
  };
}

/** What `connection.ts` gave the SDK. */
function headersOf(value: unknown): AnswerHeaders | undefined {
  return value instanceof Map ? value : undefined;
}

function refusedBy(refusal: Refusal, { host, now }: FailureContext): AppError {
  const { status, type, headers } = refusal;
  const code = RULES.find((rule) => matches(rule, refusal))?.code ?? IN_STREAM;
  const answer = status === undefined ? "sent an error within the answer" : `answered ${status}`;
  return modelFailure(code, {
    detail: `${host} ${answer}${TYPES.has(type) ? `, ${type}` : ""}`,
    ...(status === undefined || GATEWAY_STATUSES.has(status) ? { processed: true } : {}),
    ...readRetryHint(headers, now),
  });
}

function matches({ status, types, says }: Rule, refusal: Refusal): boolean {
  const byType = refusal.type !== undefined && types?.includes(refusal.type) === true;
  const byStatus =
    refusal.status !== undefined &&
    status !== undefined &&
    status[0] <= refusal.status &&
    refusal.status <= status[1];
  return (byType || byStatus) && (says === undefined || says.test(refusal.text));
}
