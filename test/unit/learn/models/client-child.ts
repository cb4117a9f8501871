// A process of its own that asks one question: <address> <key>. Prints nothing but its one line of JSON.
import { createAnthropicClient } from "../../../../src/learn/models/anthropic/index.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { ask, fixedKey, NEVER } from "./request.ts";

const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createAnthropicClient({
  provider: "anthropic",
  baseUrl,
  keys: fixedKey(key),
  keyNeeded: true,
  clock: createClock(),
});
const request = { ...ask(), model: "claude-haiku-4-5" };
const outcomes = [await client.complete(request, NEVER), await client.complete(request, NEVER).catch(codeOf)];
process.stdout.write(`${JSON.stringify(outcomes)}\n`);

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : String(error);
}
