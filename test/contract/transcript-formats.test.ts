// What every agent's format must keep, whatever its files look like. Runs over the registry: a new agent needs a
// stage in `transcript-stages.ts` and nothing here.
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { READ_LIMITS } from "../../src/domain/limits.ts";
import type { TranscriptRecord } from "../../src/domain/records.ts";
import { createFormats } from "../../src/intake/agents/registry.ts";
import type { Cursor, Source, TranscriptFormat } from "../../src/intake/transcripts/format.ts";
import { createFiles } from "../../src/system/files.ts";
import { createTempFolder } from "../helpers/temp-folder.ts";
import type { Stage } from "./transcript-stages.ts";
import { stageOf } from "./transcript-stages.ts";

const STATE_DIR = "/home/ana/.local/state/engramd";
const formats = createFormats({
  files: createFiles(),
  oursUnder: [STATE_DIR],
  isUrgent: (text) => text.includes("remember"),
});

describe.each(formats.map((format) => ({ format, stage: stageOf(format.agent) })))(
  "$format.agent",
  (agent) => {
    const { format, stage } = agent;

    it("finds a session below its root and nothing beside it", () => {
      const { source, path } = put(agent, "");

      expect(source).toMatchObject({ agent: format.agent, path, role: "session" });
      expect(format.sourceAt(join(dirname(path), "notes.md"), source.root)).toBeUndefined();
      expect(
        format.sourceAt(`${source.root.path}-other${path.slice(source.root.path.length)}`, source.root),
      ).toBeUndefined();
    });

    it("delivers each record once while the file grows byte by byte", async () => {
      const whole = stage.turn({ text: "Use tabs — always.", answer: "Gut. 🙂" });
      const content = Buffer.from(stage.opening() + whole);
      const { source } = put(agent, "");
      const records: TranscriptRecord[] = [];
      let cursor: Cursor | undefined;
      for (let at = 0; at < content.length; at += 7) {
        appendFileSync(source.path, content.subarray(at, at + 7));
        const slice = await format.readSlice(source, cursor);
        records.push(...slice.records);
        cursor = slice.next;
        expect(slice.damaged).toBe(0);
      }

      expect(textsOf(records)).toEqual(["Use tabs — always."]);
      expect(records.filter((record) => record.kind === "assistant-text")).toHaveLength(1);
      expect(cursor?.offset).toBe(content.length);
    });

    it("gives the same records for the same bytes, however often they are read", async () => {
      const { source } = put(
        agent,
        stage.opening() + stage.turn({ text: "one" }) + stage.turn({ text: "two" }),
      );

      const first = await format.readSlice(source, undefined);

      expect(await format.readSlice(source, undefined)).toEqual(first);
      expect(await format.readSlice(source, first.next)).toMatchObject({
        records: [],
        more: false,
        next: first.next,
      });
    });

    it("gives ids that stay the same in a copy and differ between messages", async () => {
      const content = stage.opening() + stage.turn({ text: "one" }) + stage.turn({ text: "two" });

      const original = (await format.readSlice(put(agent, content).source, undefined)).records;
      const copy = (await format.readSlice(put(agent, content).source, undefined)).records;

      const ids = (records: readonly TranscriptRecord[]) =>
        records.filter((record) => record.kind === "user-text").map((record) => record.recordId);
      expect(ids(copy)).toEqual(ids(original));
      expect(new Set(ids(original)).size).toBe(2);
    });

    it("says when a turn is over", async () => {
      const { source } = put(agent, stage.opening() + stage.turn({ text: "one" }));
      const ended = await format.readSlice(source, undefined);
      appendFileSync(source.path, stage.prompt("two"));
      const open = await format.readSlice(source, ended.next);

      expect(ended.turn).toBe("ended");
      expect(ended.records.at(-1)?.kind).toBe("turn-end");
      expect(open.turn).toBe("open");
    });

    it("starts anew after the file was cut, rewritten or replaced", async () => {
      const old = stage.opening() + stage.turn({ text: "one" }) + stage.turn({ text: "two" });
      const fresh = stage.opening() + stage.turn({ text: "new" });
      const changes: ((path: string) => void)[] = [
        (path) => truncateSync(path, stage.opening().length),
        (path) => writeFileSync(path, fresh),
        (path) => {
          writeFileSync(`${path}.tmp`, old + stage.turn({ text: "three" }));
          renameSync(`${path}.tmp`, path);
        },
      ];
      for (const change of changes) {
        const { source } = put(agent, old);
        const { next } = await format.readSlice(source, undefined);
        change(source.path);

        const slice = await format.readSlice(source, next);

        expect(slice.restarted).toBe(true);
        expect(slice.records).toEqual((await format.readSlice(source, undefined)).records);
      }
    });

    it("follows a file that was moved by its records, not by its name", async () => {
      const { source } = put(agent, stage.opening() + stage.turn({ text: "one" }));
      const moved = put(agent, stage.opening() + stage.turn({ text: "one" }));

      const records = (await format.readSlice(moved.source, undefined)).records;

      expect(records.map((record) => record.sessionId)).toEqual(
        (await format.readSlice(source, undefined)).records.map((record) => record.sessionId),
      );
    });

    it("rejects with source-gone for a file that is not there", async () => {
      const { source } = put(agent, stage.opening());
      rmSync(source.path);

      await expect(format.readSlice(source, undefined)).rejects.toMatchObject({ code: "source-gone" });
      expect(format.peek(source, 0)).toBeUndefined();
      expect(format.endOf(source)).toBeUndefined();
      expect(format.cursorAt(source, 1)).toBeUndefined();
    });

    it("reads on after damaged, unknown, oversized and invalid lines, and counts each once", async () => {
      const { source } = put(
        agent,
        Buffer.concat([
          Buffer.from(stage.opening() + stage.turn({ text: "one" })),
          Buffer.from('{"broken\n'),
          Buffer.from(stage.unknown()),
          Buffer.from(`{"x":"${"x".repeat(READ_LIMITS.lineBytesMax)}"}\n`),
          Buffer.from('"\xff\xfe"\n', "latin1"),
          Buffer.from(`${"[".repeat(100_000)}\n`),
          Buffer.from(stage.turn({ text: "two" })),
        ]),
      );

      const all = await readAll(format, source);

      expect(textsOf(all.records)).toEqual(["one", "two"]);
      expect(all).toMatchObject({ damaged: 3, skipped: 1, unknown: 1 });
    });

    it("knows its own sessions and those of subagents", async () => {
      const { source } = put(
        agent,
        stage.opening({ cwd: join(STATE_DIR, "runs") }) +
          stage.turn({ text: "one", cwd: join(STATE_DIR, "runs") }),
      );
      const ours = await format.readSlice(source, undefined);

      expect(new Set(ours.records.map((record) => record.origin))).toEqual(new Set(["ours"]));
      if (stage.subagentName === undefined) return;
      const helper = put(
        agent,
        stage.opening() + stage.turn({ text: "You are a reviewer." }),
        stage.subagentName,
      );
      const records = (await format.readSlice(helper.source, undefined)).records;
      expect(helper.source.role).toBe("subagent");
      expect(new Set(records.map((record) => record.origin))).toEqual(new Set(["subagent"]));
    });

    it("finds the working directory and urgent words by a peek", () => {
      const { source } = put(agent, stage.opening() + stage.turn({ text: "Please remember this." }));

      expect(format.peek(source, 0)).toMatchObject({ cwd: "/home/ana/shop", urgent: true, turn: "ended" });
    });

    it("goes on from the end of a record that was read, as if the read had ended there", async () => {
      const { source } = put(
        agent,
        stage.opening() + stage.turn({ text: "one" }) + stage.turn({ text: "two" }),
      );
      const { records } = await format.readSlice(source, undefined);
      const after = records.find((record) => record.kind === "turn-end")?.endOffset ?? 0;

      const slice = await format.readSlice(source, format.cursorAt(source, after));

      expect(textsOf(slice.records)).toEqual(["two"]);
      expect(slice.restarted).toBe(false);
    });

    it("reads again what stands before a cursor, and nothing of what comes after", async () => {
      const { source } = put(
        agent,
        stage.opening() + stage.turn({ text: "one" }) + stage.turn({ text: "two" }),
      );
      const { records } = await format.readSlice(source, undefined);
      const after = records.find((record) => record.kind === "turn-end")?.endOffset ?? 0;

      expect(textsOf(format.recordsBefore(source, after))).toEqual(["one"]);
      expect(format.recordsBefore(source, 0)).toEqual([]);
    });

    it("goes on from the end of the file as it was", async () => {
      const { source } = put(agent, stage.opening() + stage.turn({ text: "one" }));
      const end = format.endOf(source);
      appendFileSync(source.path, stage.turn({ text: "two" }));

      const slice = await format.readSlice(source, end);

      expect(textsOf(slice.records)).toEqual(["two"]);
      expect(slice.restarted).toBe(false);
    });
  },
);

interface Agent {
  readonly format: TranscriptFormat;
  readonly stage: Stage;
}

function put(
  { format, stage }: Agent,
  content: string | Buffer,
  name = stage.name,
): { source: Source; path: string } {
  const home = createTempFolder();
  const roots = format.roots({ home: home.path, claudeHomes: [home.at(".claude")] });
  for (const root of roots) {
    const path = join(root.path, name);
    const source = format.sourceAt(path, root);
    if (source === undefined) continue;
    home.write(path.slice(home.path.length + 1), content);
    return { source, path };
  }
  throw new Error(`${format.agent} has no place for ${name}`);
}

async function readAll(format: TranscriptFormat, source: Source) {
  const records: TranscriptRecord[] = [];
  let cursor: Cursor | undefined;
  let damaged = 0;
  let skipped = 0;
  let unknown = 0;
  for (;;) {
    const slice = await format.readSlice(source, cursor);
    records.push(...slice.records);
    damaged += slice.damaged;
    skipped += slice.skipped;
    unknown += Object.values(slice.unknownTypes).reduce((sum, count) => sum + count, 0);
    cursor = slice.next;
    if (!slice.more) return { records, damaged, skipped, unknown };
  }
}

function textsOf(records: readonly TranscriptRecord[]): string[] {
  return records.filter((record) => record.kind === "user-text").map((record) => record.text);
}
