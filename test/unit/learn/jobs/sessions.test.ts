import { utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ownSessionId } from "../../../../src/domain/own-sessions.ts";
import type { ProjectRef } from "../../../../src/domain/sessions.ts";
import { createFormats } from "../../../../src/intake/agents/registry.ts";
import { createCursors } from "../../../../src/intake/transcripts/cursors.ts";
import { createCatalog } from "../../../../src/intake/watch/catalog.ts";
import {
  countSessions,
  hasOpenTurn,
  lastActivityAt,
} from "../../../../src/learn/jobs/consolidate/sessions.ts";
import { createFiles } from "../../../../src/system/files.ts";
import type { TranscriptBuilder } from "../../../helpers/claude-transcript.ts";
import { createTranscript, sessionIdOf } from "../../../helpers/claude-transcript.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const NOW = Date.UTC(2026, 4, 4, 9);
const HOUR_MS = 3_600_000;
const SHOP: ProjectRef = { id: "p1", key: "k", root: "/shop", agentHome: "/h", present: false };

interface Session {
  readonly folder?: string;
  readonly id: string;
  readonly hoursAgo: number;
  /** Typed messages, as a reading counted them. */
  readonly typed?: number;
  readonly headlessTyped?: number;
  readonly fill?: (transcript: TranscriptBuilder) => TranscriptBuilder;
}

function setUp() {
  const temp = createTempFolder();
  const files = createFiles();
  const formats = createFormats({ files, oursUnder: [], isUrgent: () => false });
  const catalog = createCatalog({
    files,
    cursors: createCursors({ files, stateDir: temp.folder("state") }),
    formats,
    roots: formats.flatMap((format) => format.roots({ home: temp.path, claudeHomes: [temp.at(".claude")] })),
    projectOf: () => SHOP,
    firstSight: () => "read",
  });
  return {
    entries: () => catalog.entriesOf(SHOP.id),
    add({ folder = "-shop", id, hoursAgo, typed = 1, headlessTyped = 0, fill }: Session): void {
      const transcript = createTranscript({ sessionId: id, cwd: "/shop" });
      const text = (fill ?? ((one) => one.user("Use tabs.").assistant("Yes.")))(transcript).text();
      const path = temp.write(`.claude/projects/${folder}/${id}.jsonl`, text);
      const at = (NOW - hoursAgo * HOUR_MS) / 1_000;
      utimesSync(path, at, at);
      catalog.lookAt(path);
      const known = catalog.get(path);
      if (known !== undefined) catalog.update({ ...known.state, typed, headlessTyped });
    },
  };
}

describe("sessions since the last consolidation", () => {
  it("are counted over all transcript folders of a project, each once", () => {
    const { add, entries } = setUp();
    add({ id: sessionIdOf(1), hoursAgo: 1 });
    add({ id: sessionIdOf(2), hoursAgo: 2, folder: "-shop-worktree" });
    // One session that went on in another worktree.
    add({ id: sessionIdOf(2), hoursAgo: 1, folder: "-shop-other" });
    add({ id: sessionIdOf(3), hoursAgo: 25 });

    expect(countSessions(entries(), NOW - 24 * HOUR_MS)).toBe(2);
    expect(countSessions(entries(), 0)).toBe(3);
  });

  it("are those of a person: no scripts, no sub-agents, no runs of ours, none without a typed word", () => {
    const { add, entries } = setUp();
    add({ id: sessionIdOf(1), hoursAgo: 1, typed: 0, headlessTyped: 3 });
    add({ id: sessionIdOf(2), hoursAgo: 1, typed: 0 });
    add({ id: ownSessionId(sessionIdOf(3)), hoursAgo: 1 });
    add({ id: "agent-4", hoursAgo: 1, folder: `-shop/${sessionIdOf(1)}/subagents` });

    expect(countSessions(entries(), 0)).toBe(0);
  });
});

describe("an agent at work", () => {
  const asks = (transcript: TranscriptBuilder) =>
    transcript.user("Run the tests.").toolCall("Bash", { command: "make" });

  it("is seen in a turn that has not ended", () => {
    const { add, entries } = setUp();
    add({ id: sessionIdOf(1), hoursAgo: 0.1 });
    expect(hasOpenTurn(entries(), NOW)).toBe(false);

    add({ id: sessionIdOf(2), hoursAgo: 0.5, fill: asks });

    expect(hasOpenTurn(entries(), NOW)).toBe(true);
  });

  it("is not believed in for ever: an hour without a byte, and it was ended in its turn", () => {
    const { add, entries } = setUp();
    add({ id: sessionIdOf(2), hoursAgo: 1.1, fill: asks });

    expect(hasOpenTurn(entries(), NOW)).toBe(false);
  });

  it("is seen at the end of a long transcript", () => {
    const { add, entries } = setUp();
    const long = (transcript: TranscriptBuilder) =>
      asks(transcript.user("Read it.").assistant("x".repeat(500_000)).user("And this.").assistant("Done."));
    add({ id: sessionIdOf(2), hoursAgo: 0.1, fill: long });

    expect(hasOpenTurn(entries(), NOW)).toBe(true);
  });

  it("or a person was active when the newest transcript grew", () => {
    const { add, entries } = setUp();
    expect(lastActivityAt(entries())).toBeUndefined();
    add({ id: sessionIdOf(1), hoursAgo: 3 });
    add({ id: sessionIdOf(2), hoursAgo: 2, typed: 0 });

    expect(lastActivityAt(entries())).toBe(NOW - 2 * HOUR_MS);
  });
});
