// What work costs the processor, told in plain readings of text and never in milliseconds: a shared or slower machine
// takes as much longer for the reading. Absolute speed is what `npm run bench` is for.

const CHARS = 2_000_000;
/** What a bound counts in: so many plain readings of the characters above are one. */
const TIMES = 10;
/** The least of a few tries: what else runs, garbage and code not yet compiled cost time too. */
const TRIES = 5;

const TEXT = "The quick brown fox jumps over the lazy dog. ".repeat(CHARS / 40).slice(0, CHARS);

/** Time this process has computed; waiting for a processor is not counted. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function readPlainly(): number {
  let sum = 0;
  for (let at = 0; at < TEXT.length; at += 1) sum = (sum * 31 + TEXT.charCodeAt(at)) | 0;
  return sum;
}

/** What one reading (of 20 million characters) takes now. */
export function readingMs(): number {
  let leastMs = Infinity;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const startedMs = cpuMs();
    if (!Number.isInteger(readPlainly())) throw new Error("what nobody uses need not be computed");
    leastMs = Math.min(leastMs, cpuMs() - startedMs);
  }
  return leastMs * TIMES;
}

export interface CostOptions {
  /** Below this there is no further try. */
  readonly enough: number;
  /** Default: measured anew, in the same breath. */
  readonly oneMs?: number;
  /** Work that cannot be repeated is done once; default 5. */
  readonly tries?: number;
}

/** What `work` costs, in readings: the least of a few tries. */
export async function costOf(
  work: () => unknown,
  { enough, oneMs = readingMs(), tries = TRIES }: CostOptions,
): Promise<number> {
  let least = Infinity;
  for (let tried = 0; tried < tries && least >= enough; tried += 1) {
    const startedMs = cpuMs();
    await work();
    least = Math.min(least, (cpuMs() - startedMs) / oneMs);
  }
  return least;
}
