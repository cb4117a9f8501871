// A program in the place of Codex's: takes the same words and prints the same lines as 0.171.0, and asks the server it is
// sent to for a message of the Messages API, so that what holds for every provider can be tried with one stub.
import { chmodSync } from "node:fs";
import type { TempFolder } from "./temp-folder.ts";

/** Written as a script of its own: it must load nothing of this project. */
const SCRIPT = String.raw`
import { readFileSync } from "node:fs";
import { request } from "node:http";
const args = process.argv.slice(2);
const settings = Object.fromEntries(args.flatMap((word, at) => args[at - 1] === "-c" ? [[word.slice(0, word.indexOf("=")), JSON.parse(word.slice(word.indexOf("=") + 1))]] : []));
const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const fail = (message) => {
  say({ type: "error", message });
  say({ type: "turn.failed", error: { message } });
  process.exitCode = 1;
};
const parts = readFileSync(0, "utf8").split(/\n\n(?=Your answer: )/);
const mark = { cache_control: { type: "ephemeral" } };
const content = parts.map((text, at) => ({ type: "text", text, ...(at === 0 || at === parts.length - 1 ? mark : {}) }));
const [{ slug, base_instructions: system }] = JSON.parse(readFileSync(settings.model_catalog_json, "utf8")).models;
const body = JSON.stringify({ model: slug, stream: true, max_tokens: 1000, tools: [], system, messages: [{ role: "user", content }] });
say({ type: "thread.started" });
const CUT = "stream disconnected before completion: stream closed before response.completed";
const answer = (text) => {
  const events = text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
  if (!events.some(({ type }) => type === "message_stop")) return fail(CUT);
  const blocks = [];
  for (const { type, index, content_block: block, delta } of events) {
    if (type === "content_block_start") blocks[index] = { ...block, json: "" };
    if (delta?.type === "text_delta") blocks[index].text += delta.text;
    if (delta?.type === "input_json_delta") blocks[index].json += delta.partial_json;
  }
  const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = events[0].message.usage;
  const said = blocks.flatMap(({ type, text }) => type === "text" ? [text] : []);
  const calls = blocks.filter(({ type }) => type === "tool_use").map(({ name, json }) => ({ tool: name, arguments: json }));
  if (calls.length > 0) said.push(JSON.stringify({ calls }));
  for (const text of said) say({ type: "item.completed", item: { type: "agent_message", text } });
  say({ type: "turn.completed", usage: { input_tokens: fresh + read + written, cached_input_tokens: read, output_tokens: events.at(-2).usage.output_tokens } });
};
const headers = { "content-type": "application/json", authorization: "Bearer x" };
const sent = request(settings["model_providers.engramd.base_url"] + "/v1/messages", { method: "POST", headers }, (response) => {
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (piece) => (text += piece));
  response.on("error", () => fail(CUT));
  response.on("end", () => response.statusCode === 200 ? answer(text) : fail("unexpected status " + response.statusCode + " Words: " + text));
});
sent.on("error", () => fail("stream disconnected before completion: error sending request"));
sent.end(body);
`;

/** Puts the program into a folder for `PATH`, and answers that folder. */
export function addFakeCodex(folder: TempFolder): string {
  const script = folder.write("fake-codex/codex.mjs", SCRIPT);
  const program = folder.write(
    "fake-codex/codex",
    `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  return folder.at("fake-codex");
}
