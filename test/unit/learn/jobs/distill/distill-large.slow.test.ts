// 10,000 lines of logs: at a bounded cost with a model that costs nothing, in bounded memory, and asked about once.
import { expect, it } from "vitest";
import { costOf } from "../../../../helpers/cost.ts";
import { checkLeaks } from "../../../../helpers/leak-check.ts";
import { useScenes } from "../../models/client.ts";
import { createDistillWorld, DONE } from "./distill-world.ts";

checkLeaks();
const openScene = useScenes();

const LINES = 10_000;
const DAYS = 4;
/** Plain readings (see the helper) that all of them may cost: ten times what they do. */
const READINGS_MAX = 800;
const RSS_GROWTH_MAX = 250 * 1024 * 1024;

it(
  "distils 10,000 lines at a bounded cost in bounded memory; a second time it asks nothing",
  { timeout: 300_000 },
  async () => {
    const { log, distil, stub, ran, prompts, logs } = createDistillWorld(await openScene());
    for (let day = 1; day <= DAYS; day += 1) {
      const lines = Array.from({ length: LINES / DAYS }, (_, at) => {
        const minute = String(at % 60).padStart(2, "0");
        return `- 0${day}:${minute} note ${day}-${at}: looked at module ${at * 7}, the tests of the parser stay green`;
      });
      log(`2026/05/2026-05-0${day}.md`, `${lines.join("\n")}\n`, 24);
    }
    const before = logs();
    const rssBefore = process.memoryUsage().rss;
    let rssMax = 0;
    stub.otherwise(() => {
      rssMax = Math.max(rssMax, process.memoryUsage().rss);
      return DONE;
    });

    let reply: unknown;
    const cost = await costOf(async () => (reply = await distil()), { enough: 0, tries: 1 });
    const asked = prompts().length;
    const again = await distil();

    expect(reply).toMatchObject({ outcome: "succeeded", noted: [] });
    process.stdout.write(
      `distill: ${LINES} lines, ${asked} requests in ${ran.length} jobs, ${cost.toFixed(0)} readings, ${((rssMax - rssBefore) / 1_048_576).toFixed(0)} MB more\n`,
    );
    expect(cost).toBeLessThan(READINGS_MAX);
    expect(rssMax - rssBefore).toBeLessThan(RSS_GROWTH_MAX);
    const shown = new Set(prompts().flatMap((text) => text.match(/note \d-\d+:/gu) ?? []));
    expect(shown.size).toBe(LINES);
    for (const { end } of ran) expect(end.inputTokens).toBeLessThanOrEqual(120_000);
    expect(again).toMatchObject({ outcome: "skipped", reason: "nothing-new" });
    expect(prompts()).toHaveLength(asked);
    expect(logs()).toEqual(before);
  },
);
