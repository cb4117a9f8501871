// Every way a model request can fail: who deals with it and what the person does. Data, shared by all providers.
// No sentence here ever holds a key or what a server said, and none is added: a server may quote a person's words.
import { AppError, type AppErrorOptions, type Disposition } from "../../domain/errors.ts";
import { MODEL_LIMITS } from "../../domain/limits.ts";

interface Failure {
  readonly disposition: Disposition;
  /**
   * Set where a person has to mend something first, which nobody tells us: it is tried again so seldom, whatever the
   * server says about another try - it knows nothing of the mend.
   */
  readonly retryAfterMs?: number;
  /** Whether the model may have worked on the request, as far as the code alone tells. Default: it has not. */
  readonly processed?: boolean;
  /**
   * When it closes the provider for every job (`provider-gate.ts`): with the first failure where it is the provider's
   * alone; with the third in a row where it may be the request's. Undefined: it is the request's.
   */
  readonly closes?: "at-once" | "third";
  readonly what: string;
  readonly fix: string;
  /** Where it is another one for a program that answers as a model, by its name; then `fix` is for all others. */
  readonly fixWith?: Readonly<Record<Program, string>>;
}

type Program = "claude" | "codex";

const WAIT = "Nothing to do: it is tried again later.";

export const MODEL_FAILURES = {
  "model-key-missing": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "There is no key for the model",
    fix: "Set the variable named by apiKeyEnv, or apiKeyFile, or apiKeyCommand.",
  },
  "model-key-unsafe": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The key file is not private",
    fix: "Make it a regular file of your own with mode 0600 (chmod 600).",
  },
  "model-key-unreadable": {
    disposition: "retry",
    closes: "at-once",
    what: "The key cannot be read",
    fix: "Check apiKeyFile or apiKeyCommand: it has to give one line with nothing but the key.",
  },
  "model-key-rejected": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The model server does not accept the key",
    fix: "Give a valid key by apiKeyFile or apiKeyCommand: it is read again with the next try. One in the variable named by apiKeyEnv needs a restart.",
  },
  "model-credit": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The account of the model provider has no credit",
    fix: "Add credit at the provider, or choose another provider.",
  },
  "model-too-long": {
    disposition: "give-up",
    what: "The request is longer than the model can read",
    fix: "A smaller part is tried; if that fails too, choose a model that reads more.",
  },
  "model-request-rejected": {
    disposition: "give-up",
    what: "The model server does not accept the request",
    fix: "Check the model id; with an own server, that it speaks the Messages API with tools.",
  },
  "model-not-found": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The model server does not know this model or address",
    fix: "Check the model id (it may be retired) and baseUrl (without /v1).",
  },
  "model-retired": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The model is retired",
    fix: "Choose another one: engramd model use anthropic --model small",
  },
  "model-rate-limited": {
    disposition: "retry",
    closes: "at-once",
    what: "The account may not send more requests now",
    fix: WAIT,
  },
  "model-plan-limit": {
    disposition: "retry",
    closes: "at-once",
    what: "The limit of the subscription is reached",
    fix: WAIT,
  },
  "model-overloaded": {
    disposition: "retry",
    closes: "at-once",
    what: "The model server is overloaded",
    fix: WAIT,
  },
  "model-server-error": {
    disposition: "retry",
    closes: "third",
    what: "The model server failed",
    fix: WAIT,
  },
  "model-program-missing": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The program that answers as a model is not found",
    fix: "Install it, or choose another provider: engramd model use ...",
    fixWith: {
      claude: "Install Claude Code (claude), or choose another provider: engramd model use ...",
      codex: "Install Codex (codex), or choose another provider: engramd model use ...",
    },
  },
  "model-program-unusable": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The program that answers as a model gave no answer",
    fix: "Try it yourself, and update it",
    fixWith: {
      claude: "Try it yourself (claude -p hello), and update it: claude update",
      codex: "Try it yourself (codex exec hello), and update it: codex update",
    },
  },
  "model-login": {
    disposition: "retry",
    closes: "at-once",
    retryAfterMs: MODEL_LIMITS.mendMs,
    what: "The program that answers as a model is not logged in, or its login is not accepted",
    fix: "Log in again with it",
    fixWith: { claude: "Log in again: run claude and type /login", codex: "Log in again: codex login" },
  },
  "model-unreachable": {
    disposition: "retry",
    closes: "at-once",
    what: "The model server cannot be reached",
    fix: "Check the network and baseUrl; it is tried again later.",
  },
  "model-timeout": {
    disposition: "retry",
    closes: "third",
    processed: true,
    what: "The model server took too long",
    fix: WAIT,
  },
  "model-stream-cut": {
    disposition: "retry",
    closes: "third",
    processed: true,
    what: "The answer broke off",
    fix: WAIT,
  },
  "model-answer-unusable": {
    disposition: "retry",
    closes: "third",
    processed: true,
    what: "What answered gave nothing that is an answer of a model",
    fix: "Check baseUrl, and whether a proxy or a login page stands in between.",
    fixWith: { claude: "Update it: claude update", codex: "Update it: codex update" },
  },
} as const satisfies Readonly<Record<string, Failure>>;

export type ModelFailureCode = keyof typeof MODEL_FAILURES;

export interface FailureFacts {
  /** Host, status, an error type of the API's own; nothing that somebody else put into words. */
  readonly detail: string;
  /** What the server itself said about another try. */
  readonly disposition?: Disposition | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Set where more is known than the code tells. */
  readonly processed?: boolean | undefined;
}

/** A failed request to a model. */
export class ModelFailure extends AppError {
  /** Whether a model may have worked on it before it failed. */
  readonly processed: boolean;

  constructor(options: AppErrorOptions, processed: boolean) {
    super(options);
    this.processed = processed;
  }
}

export function modelFailure(code: ModelFailureCode, facts: FailureFacts): ModelFailure {
  const failure: Failure = MODEL_FAILURES[code];
  const { disposition, retryAfterMs: mendMs, processed = false, what } = failure;
  const told = facts.retryAfterMs;
  const message = `${what} (${facts.detail})`;
  return new ModelFailure(
    {
      code,
      message,
      fix: fixFor(failure, message),
      disposition: mendMs === undefined ? (facts.disposition ?? disposition) : disposition,
      retryAfterMs: mendMs === undefined ? told : Math.max(mendMs, told ?? 0),
    },
    facts.processed ?? processed,
  );
}

/** Whether it closes the provider for every job, and with which failure in a row. */
export function closesAt(code: string): Failure["closes"] {
  const { closes }: Failure = isFailureCode(code) ? MODEL_FAILURES[code] : NO_FAILURE;
  return closes;
}

/** Whether a person has to mend something first. */
export function isMended(code: ModelFailureCode): boolean {
  const { retryAfterMs }: Failure = MODEL_FAILURES[code];
  return retryAfterMs !== undefined;
}

const NO_FAILURE: Failure = { disposition: "retry", what: "", fix: WAIT };

/** What a person does about a failure; undefined for one that passes by itself and for codes of others. */
export function fixOf({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): string | undefined {
  const fix = fixFor(isFailureCode(code) ? MODEL_FAILURES[code] : NO_FAILURE, message);
  return fix === WAIT ? undefined : fix;
}

/** A detail of ours that begins with the program's name; all that is kept of a failure is its code and message. */
const OF_PROGRAM = /\((claude|codex)(?:, |\))/u;

function fixFor({ fix, fixWith }: Failure, message: string): string {
  const program = OF_PROGRAM.exec(message)?.[1];
  return (program === "claude" || program === "codex" ? fixWith?.[program] : undefined) ?? fix;
}

/** Whether the vendor may ask money for a request that failed like this. */
export function mayBeBilled(error: unknown): boolean {
  if (error instanceof ModelFailure) return error.processed;
  if (!(error instanceof AppError) || !isFailureCode(error.code)) return false;
  const { processed = false }: Failure = MODEL_FAILURES[error.code];
  return processed;
}

export function isFailureCode(code: string): code is ModelFailureCode {
  return Object.hasOwn(MODEL_FAILURES, code);
}
