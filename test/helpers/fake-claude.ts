// A program in the place of Claude Code's: takes the same words and prints the same lines as 2.1.332, and asks the
// server it is sent to (`ANTHROPIC_BASE_URL`) over HTTP. Notes what it was given in `seen.jsonl` beside itself.
import { chmodSync, readFileSync } from "node:fs";
import type { TempFolder } from "./temp-folder.ts";

/** Every call, its words without the program's own name. */
export interface SeenCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly inCwd: readonly string[];
  readonly input: string;
}

/** Written as a script of its own: it must load nothing of this project. */
const SCRIPT = String.raw`
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { request } from "node:http";
const args = process.argv.slice(2);
const after = (name) => args[args.indexOf(name) + 1];
const input = readFileSync(0, "utf8");
const { env } = process;
appendFileSync(new URL("seen.jsonl", import.meta.url), JSON.stringify({ args, env, cwd: process.cwd(), inCwd: readdirSync("."), input }) + "\n");
const say = (line) => process.stdout.write(JSON.stringify({ ...line, session_id: after("--session-id") }) + "\n");
const { message } = JSON.parse(input);
const tools = [{ name: "StructuredOutput", description: "x", input_schema: JSON.parse(after("--json-schema")) }];
const marked = message.content.map((block, at, all) => at === all.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block);
const first = { ...marked[0], ...(marked.length > 1 ? { cache_control: { type: "ephemeral" } } : {}) };
const body = JSON.stringify({
  model: after("--model"), stream: true, max_tokens: Number(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS), tools,
  system: after("--system-prompt"), messages: [{ role: "user", content: [first, ...marked.slice(1)] }],
});
say({ type: "system", subtype: "init", tools: ["StructuredOutput"] });
const none = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const fail = (status, text) => {
  say({ type: "assistant", message: { id: "x", model: "<synthetic>", content: [{ type: "text", text }], usage: none } });
  say({ type: "result", subtype: "success", is_error: true, api_error_status: status, result: text, usage: none });
  process.exitCode = 1;
};
const answer = (text) => {
  const events = text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
  if (!events.some(({ type }) => type === "message_stop")) return fail(null, "API Error: Connection to the API was lost (ECONNRESET).");
  const blocks = [];
  for (const { type, index, content_block: block, delta } of events) {
    if (type === "content_block_start") blocks[index] = { ...block, json: "" };
    if (delta?.type === "text_delta") blocks[index].text += delta.text;
    if (delta?.type === "input_json_delta") blocks[index].json += delta.partial_json;
  }
  const { message } = events[0];
  const usage = { ...message.usage, output_tokens: events.at(-2).usage.output_tokens };
  const calls = blocks.filter(({ type }) => type === "tool_use").map(({ name, json }) => ({ tool: name, arguments: JSON.parse(json) }));
  for (const { text } of blocks) if (text) say({ type: "assistant", message: { ...message, content: [{ type: "text", text }] } });
  if (calls.length === 0) {
    say({ type: "result", subtype: "error_max_turns", is_error: true, usage });
    process.exitCode = 1;
    return;
  }
  say({ type: "assistant", message: { ...message, content: [{ type: "tool_use", name: "StructuredOutput", input: { calls } }] } });
  say({ type: "result", subtype: "success", is_error: false, api_error_status: null, stop_reason: "tool_use", structured_output: { calls }, usage });
};
const sent = request(env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer x" } }, (response) => {
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (piece) => (text += piece));
  response.on("error", () => fail(null, "API Error: Connection to the API was lost (ECONNRESET)."));
  response.on("end", () => response.statusCode === 200 ? answer(text) : fail(response.statusCode, "API Error: " + response.statusCode + " " + text));
});
sent.on("error", () => fail(null, "API Error: Unable to connect to API (ECONNREFUSED)"));
sent.end(body);
`;

/** Does not end when it is asked to. */
const STUBBORN = 'process.on("SIGTERM", () => undefined);\n';

/** Puts the program into a folder for `PATH`, and answers that folder. */
export function addFakeClaude(folder: TempFolder, { stubborn = false } = {}): string {
  const script = folder.write("fake-claude/claude.mjs", stubborn ? STUBBORN + SCRIPT : SCRIPT);
  const program = folder.write(
    "fake-claude/claude",
    `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  return folder.at("fake-claude");
}

export interface Printing {
  readonly name?: string;
  readonly code?: number;
}

/** One that prints these lines and nothing else, and notes its words and variables in `called`. */
export function addPrintingProgram(
  folder: TempFolder,
  lines: readonly string[],
  { name = "claude", code = 0 }: Printing = {},
): string {
  const output = folder.write("printing/lines", lines.map((line) => `${line}\n`).join(""));
  const note = `{ printf '%s\\n' "$@"; env; } >> '${folder.at("printing/called")}'`;
  const script = `#!/bin/sh\n/bin/cat > /dev/null\n${note}\n/bin/cat '${output}'\nexit ${code}\n`;
  chmodSync(folder.write(`printing/${name}`, script), 0o755);
  return folder.at("printing");
}

export function callsSeen(folder: TempFolder): readonly SeenCall[] {
  const text = readFileSync(folder.at("fake-claude/seen.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SeenCall);
}
