// `npm run bench [-- --json] [--only 1,3]`: every performance row against its anchor, measured in this one run.
import { rows as ingest } from "./ingest.ts";
import type { Row } from "./row.ts";
import { rows as cursors } from "./cursors.ts";
import { rows as sweep } from "./sweep.ts";
import { rows as watching } from "./watching.ts";

const SUITES = [sweep, ingest, watching, cursors];

const args = process.argv.slice(2);
const onlyAt = args.indexOf("--only");
const only = onlyAt < 0 ? undefined : new Set((args[onlyAt + 1] ?? "").split(",").map(Number));

const rows: Row[] = [];
for (const suite of SUITES) rows.push(...(await suite()));
const wanted = rows.filter((row) => only === undefined || only.has(row.id)).toSorted((a, b) => a.id - b.id);

if (args.includes("--json")) process.stdout.write(`${JSON.stringify({ rows: wanted }, null, 2)}\n`);
else {
  for (const { id, name, ratio, target, ok } of wanted) {
    const figures = `${ratio.toFixed(2).padStart(8)} of ${String(target).padStart(5)}`;
    process.stdout.write(`${ok ? "ok  " : "MISS"} ${String(id).padStart(3)} ${figures}  ${name}\n`);
  }
}
process.exitCode = wanted.every((row) => row.ok) ? 0 : 1;
