// Folds what is said again and again into one entry with a count. Nothing is lost: each entry stands for itself or for
// as many calls as it says. Bounded in memory, and without a timer: what is due goes with the next call or `flush`.

export interface FoldingDeps {
  readonly monotonicMs: () => number;
  /** Told of the first call, and later of the calls kept back since, as one. Must not throw. */
  readonly write: (key: string, repeated: number | undefined) => void;
  /** Default: `FOLDING_LIMITS`. */
  readonly limits?: FoldingLimits;
}

export interface FoldingLimits {
  /** An entry that goes on being said is written once in so long. */
  readonly windowMs: number;
  readonly entriesMax: number;
  /** A longer one is not folded. */
  readonly keyCharsMax: number;
}

/** Ten minutes: soon enough for who reads along. 500: one for each folder that may be watched and so may fail. */
const FOLDING_LIMITS: FoldingLimits = { windowMs: 600_000, entriesMax: 500, keyCharsMax: 2_000 };

export interface Folding {
  /** What is said is all in `key`: two calls with the same one are the same entry. */
  take(key: string): void;
  /** Writes what is kept back for longer than a window. */
  settle(): void;
  /** Writes all that is kept back; nothing is folded into what was written before. */
  flush(): void;
}

interface Entry {
  readonly writtenMs: number;
  /** Calls since then that nobody was told of. */
  keptBack: number;
}

export function createFolding({ monotonicMs, write, limits = FOLDING_LIMITS }: FoldingDeps): Folding {
  /** Oldest first: an entry goes to the end when it is written. */
  const entries = new Map<string, Entry>();

  function drop(key: string, { keptBack }: Entry): void {
    entries.delete(key);
    if (keptBack > 0) write(key, keptBack);
  }

  function settle(): void {
    const now = monotonicMs();
    for (const [key, entry] of entries) {
      if (now - entry.writtenMs < limits.windowMs) return;
      drop(key, entry);
    }
  }

  return {
    settle,
    take(key) {
      const known = entries.get(key);
      if (known !== undefined) {
        known.keptBack += 1;
        return settle();
      }
      settle();
      write(key, undefined);
      if (key.length > limits.keyCharsMax) return;
      const [oldest] = entries;
      if (oldest !== undefined && entries.size >= limits.entriesMax) drop(...oldest);
      entries.set(key, { writtenMs: monotonicMs(), keptBack: 0 });
    },
    flush() {
      for (const [key, entry] of entries) drop(key, entry);
    },
  };
}
