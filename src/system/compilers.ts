// V8's compilers of JavaScript, which cost an idle process 5 MB for code it hardly runs (measured with Node 20); every
// function still runs without them, half as fast. The only place that changes a flag of V8 in a running process: one a
// later V8 does not know is a line on standard error, not the end.
import { setFlagsFromString } from "node:v8";

/**
 * Looked at whenever a function has become hot or a pattern is first run, and known to every V8 since Node 16. Patterns
 * optimized for speed, as most of ours are needed by the first job, keep 2.2 MB more, and run twice as fast (measured).
 */
const COMPILERS = ["opt", "sparkplug", "regexp-optimization"] as const;

export interface Compilers {
  /** From now on hot functions are compiled, or not any more; what is compiled stays so. */
  use(isOn: boolean): void;
}

export function createCompilers(): Compilers {
  let isUsed: boolean | undefined;
  return {
    use(isOn) {
      if (isOn === isUsed) return;
      isUsed = isOn;
      for (const name of COMPILERS) setFlagsFromString(isOn ? `--${name}` : `--no-${name}`);
    },
  };
}
