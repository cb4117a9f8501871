// How long the words of each memory folder wait: until a person is quiet, or until a model may be asked. Fires folders,
// reads nothing.
import type { Instant } from "../domain/records.ts";
import type { Debounce, FireReason } from "../intake/watch/debounce.ts";
import { createDebounce } from "../intake/watch/debounce.ts";
import type { Clock } from "../system/clock.ts";

export interface Waits {
  readonly debounce: Debounce;
  /** Fires the folder at that time, or earlier when more words come. */
  wait(memoryDir: string, at: Instant): void;
  /** Fires every folder that waits for such a time: what it waits for may be over. */
  endWaits(): void;
}

export function createWaits(clock: Clock, fire: (memoryDir: string, reason: FireReason) => void): Waits {
  const untilTime = new Set<string>();
  const debounce = createDebounce({
    clock,
    fire(memoryDir, reason) {
      untilTime.delete(memoryDir);
      fire(memoryDir, reason);
    },
  });
  return {
    debounce,
    wait(memoryDir, at) {
      const quietMs = Math.max(0, at - clock.now());
      debounce.touch(memoryDir, { quietMs, maxWaitMs: quietMs });
      untilTime.add(memoryDir);
    },
    endWaits() {
      const folders = [...untilTime];
      untilTime.clear();
      // A pause has forgotten its waits.
      for (const folder of folders) if (debounce.dueAt(folder) !== undefined) debounce.fireNow(folder);
    },
  };
}
