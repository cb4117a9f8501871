// What `engramd log` is asked and answers (a contract: add, never rename).

export interface LogRequest {
  readonly text: string;
  /** Absolute path inside the project. */
  readonly project: string;
}

export interface LogReply {
  readonly v: 1;
  readonly outcome: "logged" | "refused";
  /** The log it stands in. */
  readonly path: string | null;
  /** Number of its line there; null where the log is too large to be counted. */
  readonly line: number | null;
  /** The line as it stands there. */
  readonly text: string | null;
  /** A refusal; null when it was logged. */
  readonly reason: string | null;
  readonly message: string;
}
