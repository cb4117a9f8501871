// V8's compilers of JavaScript, which cost an idle process 5 MB for code it hardly runs (measured with Node 20); every
// function still runs without them, half as fast. The only place that changes a flag of V8 in a running process.
import { setFlagsFromString } from "node:v8";

/** Both are looked at whenever a function has become hot, and known to every V8 since Node 16. */
const COMPILERS = ["opt", "sparkplug"] as const;

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
