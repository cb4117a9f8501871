// A process of its own that asks one question: <address> <key>. Prints nothing but its one line of JSON: the two
// outcomes, and which modules of Node's `fetch` were loaded.
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
// Known since Node 4, though its types do not have it.
const loaded: unknown = Reflect.get(process, "moduleLoadList");
const fetchModules = Array.isArray(loaded) ? loaded.filter((name) => String(name).includes("undici")) : ["?"];
process.stdout.write(`${JSON.stringify([...outcomes, fetchModules])}\n`);

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : String(error);
}
