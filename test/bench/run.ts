// `npm run bench [-- --json] [--only 1,3] [--soak MINUTES]`: every performance row against its anchor, measured in this
// one run. `--soak` measures row 16 and no other unless `--only` names some.
import { rows as commands } from "./commands.ts";
import { rows as cursors } from "./cursors.ts";
import { rows as idle } from "./idle.ts";
import { rows as ingest } from "./ingest.ts";
import { rows as latency } from "./latency.ts";
import { rows as load } from "./load.ts";
import { rows as memory } from "./memory.ts";
import { rows as model } from "./model.ts";
import type { Row } from "./row.ts";
import { rows as soak } from "./soak.ts";
import { rows as sweep } from "./sweep.ts";
import { rows as watching } from "./watching.ts";

/** Which rows each suite measures, so that `--only` runs no other. */
const SUITES: readonly { readonly ids: readonly number[]; readonly rows: () => Promise<Row[]> }[] = [
  { ids: [1, 2], rows: sweep },
  { ids: [3, 5], rows: ingest },
  { ids: [6], rows: latency },
  { ids: [7], rows: idle },
  { ids: [8, 9, 11], rows: watching },
  { ids: [10], rows: memory },
  { ids: [12], rows: cursors },
  { ids: [13], rows: commands },
  { ids: [14], rows: model },
  { ids: [17], rows: load },
];

const SOAK_ID = 16;

const args = process.argv.slice(2);
const valueOf = (option: string) => {
  const at = args.indexOf(option);
  return at < 0 ? undefined : (args[at + 1] ?? "");
};
const soakMinutes = valueOf("--soak");
const onlyIds = valueOf("--only") ?? (soakMinutes === undefined ? undefined : String(SOAK_ID));
const only = onlyIds === undefined ? undefined : new Set(onlyIds.split(",").map(Number));

const rows: Row[] = [];
if (soakMinutes !== undefined) {
  only?.add(SOAK_ID);
  rows.push(...(await soak(Number(soakMinutes))));
}
for (const suite of SUITES)
  if (only === undefined || suite.ids.some((id) => only.has(id))) rows.push(...(await suite.rows()));
const wanted = rows.filter((row) => only === undefined || only.has(row.id)).toSorted((a, b) => a.id - b.id);

if (args.includes("--json")) process.stdout.write(`${JSON.stringify({ rows: wanted }, null, 2)}\n`);
else {
  for (const { id, name, ratio, target, ok } of wanted) {
    const figures = `${ratio.toFixed(2).padStart(8)} of ${String(target).padStart(5)}`;
    process.stdout.write(`${ok ? "ok  " : "MISS"} ${String(id).padStart(3)} ${figures}  ${name}\n`);
  }
}
process.exitCode = wanted.every((row) => row.ok) ? 0 : 1;
