// Folding loses nothing, whatever is said in whatever order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFolding } from "../../../src/system/log-folding.ts";

const LIMITS = { windowMs: 1_000, entriesMax: 3, keyCharsMax: 20 };

function createPair(limits = LIMITS) {
  const written: { key: string; repeated: number | undefined; atMs: number }[] = [];
  let nowMs = 0;
  const folding = createFolding({
    monotonicMs: () => nowMs,
    write: (key, repeated) => void written.push({ key, repeated, atMs: nowMs }),
    limits,
  });
  return { folding, written, pass: (ms: number) => void (nowMs += ms) };
}

const step = fc.oneof(
  fc.record({ say: fc.constantFrom("a", "b", "c", "d", "e", "far too long to be folded") }),
  fc.record({ pass: fc.integer({ min: 0, max: 1_500 }) }),
  fc.constant({ settle: true } as const),
);

describe("folding", () => {
  it("says as many calls as there were of each entry, once all is written", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { folding, written, pass } = createPair();
        const said = new Map<string, number>();
        for (const each of steps) {
          if ("pass" in each) pass(each.pass);
          else if ("settle" in each) folding.settle();
          else {
            folding.take(each.say);
            said.set(each.say, (said.get(each.say) ?? 0) + 1);
          }
        }
        folding.flush();

        const told = new Map<string, number>();
        for (const { key, repeated } of written) told.set(key, (told.get(key) ?? 0) + (repeated ?? 1));
        expect(told).toEqual(said);
        expect(written.every(({ repeated }) => repeated === undefined || repeated > 0)).toBe(true);
      }),
    );
  });

  it("says an entry at once when it is new, and again when a window has passed since", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const { folding, written, pass } = createPair({ ...LIMITS, entriesMax: 100 });
        const lastMs = new Map<string, number>();
        let nowMs = 0;
        for (const each of steps) {
          if ("pass" in each) {
            nowMs += each.pass;
            pass(each.pass);
          } else if ("say" in each) {
            const before = written.length;
            folding.take(each.say);
            const due = nowMs - (lastMs.get(each.say) ?? -Infinity) >= LIMITS.windowMs;
            if (due) expect(written.slice(before).map(({ key }) => key)).toContain(each.say);
            for (const { key, atMs } of written.slice(before)) lastMs.set(key, atMs);
          }
        }
      }),
    );
  });

  it("writes what is kept back before it forgets it for another entry", () => {
    const { folding, written } = createPair();
    for (const key of ["a", "a", "a", "b", "c"]) folding.take(key);

    folding.take("d");

    expect(written.slice(3)).toMatchObject([
      { key: "d", repeated: undefined },
      { key: "a", repeated: 2 },
    ]);
  });

  it("tells a thousand calls in a window in two lines", () => {
    const { folding, written } = createPair();
    for (let call = 0; call < 1_000; call++) folding.take("full disk");

    folding.flush();
    folding.flush();

    expect(written.map(({ repeated }) => repeated)).toEqual([undefined, 999]);
  });
});
