// Child of zone.test.ts: an instant a line (ms) on standard input, what the local clock shows a line on standard output.
import { createInterface } from "node:readline";
import { localMoment } from "../../../src/domain/calendar.ts";
import { createClock } from "../../../src/system/clock.ts";

for await (const line of createInterface({ input: process.stdin })) {
  // Each one asks the system by its first question.
  const { date, time } = localMoment(Number(line), createClock().timeZone());
  process.stdout.write(`${date} ${time}\n`);
}
