// When a daemon's code is worth compiling: while it has a backlog to read. It lives for months, mostly idle. The
// service starts without compilers (`NODE_FLAGS`): switched off only here, they would have been used by then.
import type { Compilers } from "../../system/compilers.ts";
import type { Emitter } from "../../system/emitter.ts";

/** A tenth of a second of work without compilers; a day of one person at work is as much, a line at a time. */
const BACKLOG_RECORDS = 2_000;

/** Off from the start; on after a backlog's first records, until a round finds nothing new. Returns what ends it. */
export function compileWhileReading(emitter: Emitter, compilers: Compilers): () => void {
  let records = 0;
  compilers.use(false);
  const stopCounting = emitter.on("turns:read", (read) => {
    records += read.records;
    if (records >= BACKLOG_RECORDS) compilers.use(true);
  });
  const stopResting = emitter.on("sweep:finished", ({ changed }) => {
    if (changed > 0) return;
    records = 0;
    compilers.use(false);
  });
  return () => {
    stopCounting();
    stopResting();
    compilers.use(true);
  };
}
