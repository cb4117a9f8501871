// Quality of memory in figures, offline: `npm run bench:quality -- [--memorycode DIR] [--utterances F] [--real F]
// [--secrets F] [--show KIND] --json`. Only the sets that are named are scored; `--show` prints single judgements to stderr.
import { parseArgs } from "node:util";
import { scoreMemoryCode } from "./quality-memorycode.ts";
import { scoreReal } from "./quality-real.ts";
import { scoreSecrets } from "./quality-secrets.ts";
import { scoreUtterances } from "./quality-utterances.ts";

const { values } = parseArgs({
  options: {
    memorycode: { type: "string" },
    utterances: { type: "string" },
    real: { type: "string" },
    secrets: { type: "string" },
    /** `miss`, `wrong`, `hit`, `refused`, `saved`, `candidate`, `type`, `date`; several with commas. */
    show: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
});
const shown = new Set(values.show.split(","));

function witnessOf(set: string): (what: string, line: string) => void {
  return (what, line) => {
    if (shown.has(what)) process.stderr.write(`${set} ${what}: ${line.replaceAll("\n", " / ")}\n`);
  };
}

const scores = {
  ...(values.memorycode === undefined
    ? {}
    : { memorycode: await scoreMemoryCode(values.memorycode, witnessOf("memorycode")) }),
  ...(values.utterances === undefined
    ? {}
    : { utterances: await scoreUtterances(values.utterances, witnessOf("utterances")) }),
  ...(values.real === undefined ? {} : { real: await scoreReal(values.real, witnessOf("real")) }),
  ...(values.secrets === undefined ? {} : { secrets: scoreSecrets(values.secrets, witnessOf("secrets")) }),
};

if (values.json) process.stdout.write(`${JSON.stringify(scores)}\n`);
else {
  for (const [set, figures] of Object.entries(scores)) {
    process.stdout.write(`${set}\n`);
    for (const [name, figure] of Object.entries(figures))
      if (typeof figure === "number") process.stdout.write(`  ${name.padEnd(16)} ${figure}\n`);
    for (const [cue, score] of Object.entries("classes" in figures ? figures.classes : {})) {
      const { saved, savedRight, kept, keptRight } = score;
      const known = set === "real" ? "" : `  right ${savedRight}/${saved} saved, ${keptRight}/${kept} kept`;
      process.stdout.write(`  class ${cue.padEnd(14)} saved ${saved}, candidates ${kept}${known}\n`);
    }
  }
}
