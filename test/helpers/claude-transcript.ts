// Builders for transcripts in Claude Code's format; the texts are the tests' own inventions.

export interface SessionOptions {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly version?: string;
  readonly gitBranch?: string;
  readonly entrypoint?: string;
  /** Time of the first record; each further one is a minute later. */
  readonly startAt?: number;
  /** First number used for record ids; records of two sessions in one test need different ones. */
  readonly firstNumber?: number;
}

/** Fields put over the built ones; `undefined` removes a field. */
export type Fields = Readonly<Record<string, unknown>>;

/** Each method appends one record and answers the builder; ids and parents follow by themselves. */
export interface TranscriptBuilder {
  readonly sessionId: string;
  /** The person typed this. */
  user(text: string, fields?: Fields): TranscriptBuilder;
  /** The agent said this and ended its turn. */
  assistant(text: string, fields?: Fields): TranscriptBuilder;
  /** The agent calls a tool and waits. */
  toolCall(tool: string, input: Fields, fields?: Fields): TranscriptBuilder;
  /** Answers the last tool call. */
  toolResult(content: string, fields?: Fields): TranscriptBuilder;
  /** A record that stands outside the chain (summary, title, file snapshot). */
  other(record: Fields): TranscriptBuilder;
  /** A line as it is, without its line end. */
  raw(line: string): TranscriptBuilder;
  lines(): string[];
  /** All lines, each with one LF. */
  text(): string;
  /** Record ids in order. */
  recordIds(): string[];
}

const DEFAULT_START = Date.UTC(2026, 4, 4, 9, 1);
const MINUTE_MS = 60_000;

/** Session id made of one digit repeated, as `11111111-1111-4111-8111-111111111111`. */
export function sessionIdOf(digit: number): string {
  const d = String(digit % 10);
  return `${d.repeat(8)}-${d.repeat(4)}-4${d.repeat(3)}-8${d.repeat(3)}-${d.repeat(12)}`;
}

/** Record id of a number, as `00000000-0000-4000-8000-000000000007`. */
export function recordIdOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** Folder name Claude Code derives from a working directory. */
export function claudeProjectKey(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, "-");
}

export function createTranscript(options: SessionOptions = {}): TranscriptBuilder {
  const { sessionId = sessionIdOf(1), startAt = DEFAULT_START, firstNumber = 1 } = options;
  const lines: string[] = [];
  const ids: string[] = [];
  let callId = "";

  function common(fields: Fields): Fields {
    const position = ids.length;
    const uuid = recordIdOf(firstNumber + position);
    const parentUuid = ids.at(-1) ?? null;
    ids.push(typeof fields["uuid"] === "string" ? fields["uuid"] : uuid);
    return {
      parentUuid,
      isSidechain: false,
      userType: "external",
      entrypoint: options.entrypoint ?? "cli",
      cwd: options.cwd ?? "/home/ana/shop",
      sessionId,
      version: options.version ?? "2.1.140",
      gitBranch: options.gitBranch ?? "main",
      uuid,
      timestamp: new Date(startAt + position * MINUTE_MS).toISOString(),
    };
  }

  function add(own: Fields, fields: Fields = {}): TranscriptBuilder {
    lines.push(JSON.stringify({ ...common(fields), ...own, ...fields }));
    return builder;
  }

  function answer(content: readonly Fields[], stop: string, fields?: Fields): TranscriptBuilder {
    const number = firstNumber + ids.length;
    const message = {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content,
      stop_reason: stop,
      usage: { input_tokens: 10, output_tokens: 5 },
    };
    return add({ type: "assistant", requestId: `req_${number}`, message }, fields);
  }

  const builder: TranscriptBuilder = {
    sessionId,
    user: (text, fields) => add({ type: "user", message: { role: "user", content: text } }, fields),
    assistant: (text, fields) => answer([{ type: "text", text }], "end_turn", fields),
    toolCall(tool, input, fields) {
      callId = `toolu_${firstNumber + ids.length}`;
      return answer([{ type: "tool_use", id: callId, name: tool, input }], "tool_use", fields);
    },
    toolResult: (content, fields) =>
      add(
        {
          type: "user",
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: callId, content }] },
        },
        fields,
      ),
    other(record) {
      lines.push(JSON.stringify(record));
      return builder;
    },
    raw(line) {
      lines.push(line);
      return builder;
    },
    lines: () => [...lines],
    text: () => lines.map((line) => `${line}\n`).join(""),
    recordIds: () => [...ids],
  };
  return builder;
}
