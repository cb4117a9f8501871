// V8's compilers of JavaScript, which cost an idle process 5 MB for code it hardly runs (measured with Node 20); every
// function still runs without them, half as fast. The only place that changes a flag of V8 in a running process: one a
// later V8 does not know is a line on standard error, not the end.
import { setFlagsFromString } from "node:v8";

/** Both are looked at whenever a function has become hot, and known to every V8 since Node 16. */
const COMPILERS = ["opt", "sparkplug"] as const;

/**
 * What keeps less in an idle process (measured after a job with a model: 1.5 MB). The bytecode of a function that did not
 * run between two full collections is dropped (6 collections by default), and a pattern becomes machine code with its 20th
 * short text (2nd by default; a text of 1,000 characters makes it one at once, whatever is set).
 */
const KEEP_LITTLE = ["--bytecode-old-age=1", "--regexp-tier-up-ticks=20"] as const;

export interface Compilers {
  /** From now on hot functions are compiled, or not any more; what is compiled stays so. */
  use(isOn: boolean): void;
}

/** From here on this process keeps little code. */
export function createCompilers(): Compilers {
  for (const flag of KEEP_LITTLE) setFlagsFromString(flag);
  let isUsed: boolean | undefined;
  return {
    use(isOn) {
      if (isOn === isUsed) return;
      isUsed = isOn;
      for (const name of COMPILERS) setFlagsFromString(isOn ? `--${name}` : `--no-${name}`);
    },
  };
}
