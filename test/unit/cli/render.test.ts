import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undoLines } from "../../../src/cli/render/history.ts";
import { memoryLines, memoryListLines } from "../../../src/cli/render/memories.ts";
import type { Line, Page } from "../../../src/cli/render/line.ts";
import { line, span, spanWidth, wrap } from "../../../src/cli/render/line.ts";
import { bytesText, countText, counted } from "../../../src/cli/render/numbers.ts";
import type { Outlet } from "../../../src/cli/render/output.ts";
import { pageFor, printLines, wantsColour } from "../../../src/cli/render/output.ts";
import { statusLines } from "../../../src/cli/render/status.ts";
import { syncLines } from "../../../src/cli/render/sync.ts";
import { table } from "../../../src/cli/render/table.ts";
import { relativeTime } from "../../../src/cli/render/time.ts";
import { cutText, splitText, textWidth } from "../../../src/cli/render/width.ts";
import type { ProjectStatus, SourceStatus } from "../../../src/domain/status.ts";
import { createFakeService, sampleMemory, sampleStatus } from "../serve/fake-service.ts";

const NOW = Date.UTC(2026, 4, 4, 9);
const HOSTILE = "\u001b[2J\u001b]0;pwned\u0007\u202egnp.exe\u009b\r\nnext";

function outlet(changes: Partial<Outlet> = {}) {
  const written: string[] = [];
  const out: Outlet = {
    write: (text) => written.push(text),
    isTerminal: false,
    columns: undefined,
    ...changes,
  };
  return { out, text: () => written.join("") };
}

function printed(lines: readonly Line[]): string {
  const { out, text } = outlet();
  printLines(out, lines, { colour: false });
  return text();
}

function widest(lines: readonly Line[]): number {
  return Math.max(...printed(lines).split("\n").map(textWidth));
}

const SOURCE: SourceStatus = {
  agent: "claude-code",
  root: "/home/ana/.claude/projects",
  sessions: 1_214,
  typedMessages: 19_060,
  headlessSessions: 3,
  pendingBytes: 1_234_567,
  damagedLines: 2,
  skippedLines: 0,
  unknownTypes: { widget: 5 },
  expiringSessions: 41,
};

const PROJECT: ProjectStatus = {
  key: "-home-ana-shop",
  root: "/home/ana/работа/プロジェクト/shop",
  memoryDir: "/home/ana/.claude/projects/-home-ana-shop/memory",
  mode: "auto",
  memories: 12,
  index: { lines: 12, bytes: 900 },
  waitingFor: null,
  lastRun: { id: "r", kind: "extract", at: "2026-05-04T08:57:00.000Z", outcome: "succeeded", changed: 1 },
  lastSkip: null,
  lastError: {
    code: "disk-full",
    message: `no space ${HOSTILE}`,
    at: "2026-05-04T08:57:00.000Z",
    retryAt: "2026-05-04T09:30:00.000Z",
  },
  nextDue: { extract: "2026-05-04T09:12:00.000Z", dream: null, distill: null },
  gates: { dream: "too-few-sessions", distill: null },
  spentUsdToday: 0,
};

const FULL_STATUS = sampleStatus({
  sources: [SOURCE],
  projects: [
    PROJECT,
    {
      ...PROJECT,
      root: HOSTILE,
      lastError: null,
      waitingFor: "quiet",
      nextDue: { extract: null, dream: null, distill: null },
    },
  ],
  warnings: [
    { code: "x", message: `a rather long warning with a ${HOSTILE} in it`, fix: "engramd doctor --fix" },
  ],
});

describe("the width of a text", () => {
  it.each([
    ["abc", 3],
    ["日本", 4],
    ["한글", 4],
    ["ｆｕｌｌ", 8],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇯🇵", 2],
    ["❤\ufe0f", 2],
    ["привет", 6],
    ["", 0],
  ])("of %s is %i", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it("is never passed by a cut or split text, which never loses a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (text, width) => {
        expect(textWidth(cutText(text, width))).toBeLessThanOrEqual(width);
        const [start, rest] = splitText(text, width);
        expect(start + rest).toBe(text);
        expect(textWidth(start)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("wrapped text", () => {
  it("keeps every word and fits the page", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 40 }), fc.integer({ min: 10, max: 60 }), (text, width) => {
        const lines = wrap(text, { width, indent: 2 });

        expect(widest(lines)).toBeLessThanOrEqual(width);
        expect(printed(lines).replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
      }),
    );
  });

  it("breaks a word that is longer than the page", () => {
    expect(printed(wrap("日本語日本語", { width: 5 }))).toBe("日本\n語日\n本語\n");
  });
});

describe("a table", () => {
  const columns = [
    { title: "name", flexible: true },
    { title: "n", align: "right" },
    { title: "note", leaves: 0 },
  ] as const;
  const rows = [
    ["日本", "5", "x"],
    ["tabs", "1,000", "a note"],
  ];

  it("lines its columns up, wide characters included", () => {
    expect(printed(table({ columns, rows, width: Infinity }))).toBe(
      ["name      n  note", "日本      5  x", "tabs  1,000  a note", ""].join("\n"),
    );
  });

  it("gives up what may leave before it cuts", () => {
    const long = [["a-name-that-is-long", "5", "x"]];

    expect(printed(table({ columns, rows: long, width: 22 }))).toBe(
      "name                 n\na-name-that-is-long  5\n",
    );
    expect(printed(table({ columns, rows: long, width: 12 }))).toBe("name       n\na-name-t…  5\n");
  });

  it("cuts the widest text first", () => {
    const two = [
      { title: "name", flexible: true },
      { title: "text", flexible: true },
    ];

    expect(
      printed(table({ columns: two, rows: [["a-short-name", "a text that goes on and on"]], width: 30 })),
    ).toBe("name          text\na-short-name  a text that goe…\n");
  });

  it("without rows is nothing", () => {
    expect(table({ columns, rows: [], width: 40 })).toEqual([]);
  });

  it("never prints what a cell tells the terminal to do", () => {
    expect(printed(table({ columns, rows: [[HOSTILE, HOSTILE, HOSTILE]], width: Infinity }))).not.toContain(
      "\u001b",
    );
  });
});

describe("times and numbers", () => {
  it.each([
    [NOW - 500, "now"],
    [NOW - 61_000, "1 min ago"],
    [NOW - 26 * 3_600_000, "1 d ago"],
    [NOW + 7_200_000, "in 2 h"],
    ["2026-05-04T08:59:30.000Z", "30 s ago"],
    ["nonsense", "unknown"],
    [Number.NaN, "unknown"],
  ])("%s is %s", (at, text) => {
    expect(relativeTime(at, NOW)).toBe(text);
  });

  it("are grouped and counted as a person would", () => {
    expect(countText(1_906)).toBe("1,906");
    expect(countText(1_234_567)).toBe("1,234,567");
    expect(counted(1, "memory")).toBe("1 memory");
    expect(counted(2, "memory")).toBe("2 memories");
    expect(counted(0, "day")).toBe("0 days");
    expect(bytesText(999)).toBe("999 B");
    expect(bytesText(1_500_000)).toBe("1.5 MB");
  });
});

describe("the status of a long reading", () => {
  const backfill = { doneSessions: 30, totalSessions: 120, bytesPerSecond: 1_500_000, remainingMs: 125_000 };

  it("shows how far it is, how fast and how long still, on a narrow page too", () => {
    const lines = statusLines(sampleStatus({ state: "running", backfill }), { width: 40, now: NOW });

    expect(printed(lines)).toContain("  [######------------------] 25 %\n");
    expect(printed(lines).replace(/\s+/g, " ")).toContain(
      "reading: 30 of 120 sessions, 1.5 MB/s, about 2 min left",
    );
    expect(widest(lines)).toBeLessThanOrEqual(40);
  });

  it("says no rate it does not know, and nothing once it is over", () => {
    const early = { ...backfill, bytesPerSecond: 0, remainingMs: null };
    const page = { width: 80, now: NOW };

    expect(printed(statusLines(sampleStatus({ backfill: early }), page))).toContain("30 of 120 sessions\n");
    expect(printed(statusLines(sampleStatus({ backfill: null }), page))).not.toContain("reading");
  });

  it("says what its agent is about to delete, and that it is read first only while it is", () => {
    const sources = [SOURCE, { ...SOURCE, expiringSessions: 1 }];
    const page = { width: 80, now: NOW };

    expect(printed(statusLines(sampleStatus({ sources }), page))).toContain(
      "42 unread sessions will be deleted within 7 days: read first\n",
    );
    expect(printed(statusLines(sampleStatus({ sources, state: "stopped" }), page))).toContain(
      "within 7 days\n",
    );
  });
});

describe("what the commands say", () => {
  const list = {
    v: 1,
    memories: [
      sampleMemory({ name: "x".repeat(60), description: `日本語の説明 ${HOSTILE}` }),
      sampleMemory({ project: HOSTILE, body: `line one\n${HOSTILE}\n\tindented` }),
    ],
    notMemories: [{ file: HOSTILE, project: "/p", why: "conflict copy of another file" }],
  } as const;

  it.each([40, 80, 120])("fits a page of %i columns and brings no control character", async (width) => {
    const page: Page = { width, now: NOW };
    const report = await createFakeService().sync({});
    const pieces = [
      statusLines(FULL_STATUS, page),
      statusLines(sampleStatus(), page),
      memoryListLines(list, page),
      list.memories.flatMap((memory) => memoryLines(memory, page)),
      syncLines(report, page),
      syncLines({ ...report, skipped: [{ session: "s", reason: "headless" }], damagedLines: 3 }, page),
    ];

    for (const lines of pieces) {
      expect(widest(lines)).toBeLessThanOrEqual(width);
      // oxlint-disable-next-line no-control-regex
      expect(printed(lines)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it("says never where no day is near enough", async () => {
    const report = await createFakeService().sync({});
    const linesFor = (days: number) =>
      printed(syncLines({ ...report, remaining: { sessions: 2, usd: 1, days } }, { width: 120, now: NOW }));

    expect(linesFor(36_500)).toContain("2 sessions remain (about $1.00, never at the present ceilings)");
    expect(linesFor(3)).toContain("2 sessions remain (about $1.00, 3 days at the present ceilings)");
  });

  it("names the state, the trouble and its fix first", () => {
    const text = printed(statusLines(FULL_STATUS, { width: Infinity, now: NOW }));

    expect(text.split("\n").slice(0, 4)).toEqual([
      "engramd is idle, pid 4242, started 1 h ago, 0.1.0",
      "provider: offline (no model was chosen)",
      "! a rather long warning with a [2J]0;pwnedgnp.exe next in it",
      "  fix: engramd doctor --fix",
    ]);
    expect(text).toContain("extract 3 min ago: succeeded");
    expect(text).toContain("disk-full: no space");
    expect(text).toContain("again in 30 min");
    expect(text).toContain("waits for quiet");
  });

  it("keeps the lines of a memory's text", () => {
    const text = printed(
      memoryLines(sampleMemory({ body: "one\n\ntwo\n  - three" }), { width: 40, now: NOW }),
    );

    expect(text.endsWith("one\n\ntwo\n  - three\n")).toBe(true);
  });
});

describe("colour", () => {
  const lines = [line("state ", span("idle", "good"))];

  it.each([
    [true, {}, true],
    [true, { NO_COLOR: "" }, true],
    [true, { NO_COLOR: "1" }, false],
    [true, { TERM: "dumb" }, false],
    [false, {}, false],
  ])("on a terminal: %s, with %j: %s", (isTerminal, env, colour) => {
    const { out, text } = outlet({ isTerminal });

    expect(wantsColour(out, env)).toBe(colour);
    printLines(out, lines, { colour });
    expect(text()).toBe(colour ? "state \u001b[32midle\u001b[0m\n" : "state idle\n");
  });
});

describe("the page", () => {
  it.each([
    [{ isTerminal: true, columns: 63 }, {}, 63],
    [{ isTerminal: true, columns: 63 }, { COLUMNS: "40" }, 63],
    [{}, { COLUMNS: "40" }, 40],
    [{}, { COLUMNS: "wide" }, Infinity],
    [{}, {}, Infinity],
    [{ isTerminal: true, columns: 3 }, {}, 20],
  ])("of %j with %j is %i wide", (changes, env, width) => {
    expect(pageFor(outlet(changes).out, { env, now: NOW }).width).toBe(width);
  });

  it("measures spans as they will be printed", () => {
    expect(spanWidth(span("\u001b日"))).toBe(2);
  });
});

describe("what an undo left", () => {
  const reply = {
    v: 1,
    undo: [],
    runs: [],
    restored: [],
    changes: [],
    message: "nothing to put back",
  } as const;

  it.each([true, false])("names --force only where that helps (%s)", (forcible) => {
    const refused = [{ file: "a.md", why: "so it is", forcible }];
    const text = printed(undoLines({ ...reply, outcome: "nothing", refused }, { width: 80, now: NOW }));
    expect(text.includes("--force")).toBe(forcible);
    expect(text).toContain(`${forcible ? "kept" : "not put back"}: a.md: so it is`);
  });
});
