// The checker of the crash runs must itself be able to find what it is there for.
import { describe, expect, it } from "vitest";
import { checkHistory } from "./history.ts";
import type { HistoryEvent, Life, Sight } from "./history.ts";

const said = (id: string, end: number) => ({ kind: "accepted", id, path: "/t", end }) as const;
const killed = (fields: Partial<Life> = {}): Life => ({
  kind: "life",
  end: "killed",
  finished: { "/m": 1 },
  appended: {},
  ...fields,
});
const sight = (fields: Partial<Sight> = {}): Sight => ({
  kind: "sight",
  holders: {},
  indexed: {},
  cursors: {},
  runs: {},
  wrong: [],
  last: false,
  ...fields,
});
const learnt = {
  holders: { a: ["a.md"] },
  indexed: { "a.md": 1 },
  cursors: { "/t": 10 },
  runs: { "a.md": 1 },
};

describe("the history of a world that is killed again and again", () => {
  it("is right when everything said is in one memory, however often work was begun anew", () => {
    const history: HistoryEvent[] = [
      said("a", 10),
      killed(),
      sight(),
      killed(),
      sight({ holders: { a: ["a.md"] } }),
      killed({ finished: { "/m": 2 }, appended: { "/m": 1 } }),
      sight(learnt),
      sight({ ...learnt, last: true }),
    ];

    expect(checkHistory(history)).toEqual([]);
  });

  it.each<[string, readonly HistoryEvent[]]>([
    ["a was lost", [said("a", 10), sight({ cursors: { "/t": 9 }, last: true })]],
    ["lies before the cursor", [said("a", 10), sight({ cursors: { "/t": 10 } })]],
    ["stands in a.md and b.md", [said("a", 10), sight({ holders: { a: ["a.md", "b.md"] } })]],
    ["is none any more", [said("a", 10), sight({ holders: { a: ["a.md"] } }), sight()]],
    ["was never said", [sight(learnt)]],
    ["went back", [sight({ cursors: { "/t": 5 } }), sight({ cursors: { "/t": 4 } })]],
    ["2 runs for 0 appends", [killed({ finished: { "/m": 2 } })]],
    ["2 finished runs", [sight({ runs: { "a.md": 2 } })]],
    ["0 index lines", [said("a", 10), sight({ ...learnt, indexed: {}, last: true })]],
    ["was never read", [said("a", 10), sight({ ...learnt, cursors: {}, last: true })]],
    ["half a file", [sight({ wrong: ["half a file"] })]],
  ])("is wrong: %s", (sentence, history) => {
    expect(checkHistory(history).join("\n")).toContain(sentence);
  });
});
