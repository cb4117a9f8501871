import { describe, expect, it } from "vitest";
import type { ToolCall, TranscriptRecord } from "../../../../../src/domain/records.ts";
import { afterLastMemoryWrite } from "../../../../../src/learn/jobs/extract/agent-writes.ts";

const folder = "/home/ana/.claude/projects/-home-ana-shop/memory";
const place = { folders: [folder], home: "/home/ana" };
const common = {
  recordId: "r",
  sessionId: "s1",
  agent: "claude-code",
  at: undefined,
  cwd: "/home/ana/shop",
  origin: "user",
  endOffset: 0,
} as const;

const said: TranscriptRecord = { kind: "user-text", text: "hello", ...common };

function call(fields: Partial<ToolCall>): TranscriptRecord {
  return { kind: "tool-call", tool: "Write", callId: "c1", preview: "", ...common, ...fields };
}

function result(ok: boolean, callId = "c1"): TranscriptRecord {
  return { kind: "tool-result", ok, callId, preview: "", bytes: 0, ...common };
}

describe("a memory the agent wrote itself", () => {
  it.each([
    ["an absolute path", call({ touchedPath: `${folder}/feedback_tabs.md` })],
    ["a path from the home folder", call({ touchedPath: "~/.claude/projects/-home-ana-shop/memory/x.md" })],
    [
      "a path relative to where the agent works",
      call({ tool: "Edit", touchedPath: "../.claude/projects/-home-ana-shop/memory/x.md" }),
    ],
    ["a shell command that writes there", call({ tool: "Bash", command: `echo hi > ${folder}/x.md` })],
  ])("is seen by %s", (_, write) => {
    expect(afterLastMemoryWrite([said, write, result(true), said], place)).toBe(2);
  });

  it.each([
    ["failed", [call({ touchedPath: `${folder}/x.md` }), result(false)]],
    ["has no answer yet", [call({ touchedPath: `${folder}/x.md` })]],
    ["went to the daily log", [call({ touchedPath: `${folder}/logs/2026/05/2026-05-04.md` }), result(true)]],
    ["only read", [call({ tool: "Read", touchedPath: `${folder}/x.md` }), result(true)]],
    ["only listed", [call({ tool: "Bash", command: `ls ${folder}/` }), result(true)]],
    ["went to a folder with a like name", [call({ touchedPath: `${folder}-old/x.md` }), result(true)]],
    ["left the folder again", [call({ touchedPath: `${folder}/../x.md` }), result(true)]],
  ])("is not claimed by a call that %s", (_, records) => {
    expect(afterLastMemoryWrite([said, ...records], place)).toBe(0);
  });

  it("is not claimed by a promise", () => {
    const promise: TranscriptRecord = { kind: "assistant-text", text: "I'll remember that!", ...common };

    expect(afterLastMemoryWrite([said, promise], place)).toBe(0);
  });

  it("counts up to the last write only", () => {
    const records = [
      call({ callId: "a", touchedPath: `${folder}/a.md` }),
      result(true, "a"),
      call({ callId: "b", touchedPath: `${folder}/b.md` }),
      result(true, "b"),
      said,
    ];

    expect(afterLastMemoryWrite(records, place)).toBe(3);
  });
});
