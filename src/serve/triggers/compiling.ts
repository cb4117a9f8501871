// When a daemon's code is worth compiling: while it has a backlog to read. It lives for months, mostly idle. The
// service starts without compilers (`NODE_FLAGS`): switched off only here, they would have been used by then.
import type { Compilers } from "../../system/compilers.ts";
import type { Emitter } from "../../system/emitter.ts";

/** A tenth of a second of work without compilers; a person at work adds less than that between two rounds. */
const BACKLOG = { bytes: 2_000_000, records: 1_000 } as const;

/** Off from the start; on with the first signs of a backlog, until a round finds nothing new. Returns what ends it. */
export function compileWhileReading(emitter: Emitter, compilers: Compilers): () => void {
  let bytes = 0;
  let records = 0;
  compilers.use(false);
  const look = () => {
    if (bytes >= BACKLOG.bytes || records >= BACKLOG.records) compilers.use(true);
  };
  const stops = [
    emitter.on("transcript:grew", (grown) => {
      bytes += grown.bytes;
      look();
    }),
    // A backfill opens what was passed over: nothing grew.
    emitter.on("turns:read", (read) => {
      records += read.records;
      look();
    }),
    emitter.on("sweep:finished", ({ changed }) => {
      if (changed > 0) return;
      [bytes, records] = [0, 0];
      compilers.use(false);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    compilers.use(true);
  };
}
