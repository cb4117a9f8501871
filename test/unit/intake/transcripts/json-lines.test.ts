import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { READ_LIMITS } from "../../../../src/domain/limits.ts";
import type { Cursor } from "../../../../src/intake/transcripts/format.ts";
import { endOfLines, peekLines, readLines } from "../../../../src/intake/transcripts/json-lines.ts";
import type { ReadHandle } from "../../../../src/system/files.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const files = createFiles();
const MIB = 1024 * 1024;

/** Reads to the end as a job does, slice by slice. */
function readAll(path: string, from?: Cursor) {
  const lines: string[] = [];
  const ends: number[] = [];
  const invalid: string[] = [];
  let cursor = from;
  let skipped = 0;
  let counted = 0;
  let restarted = false;
  for (;;) {
    const read = readLines({
      files,
      path,
      from: cursor,
      onLine: ({ bytes, endOffset, validUtf8 }) => {
        lines.push(bytes.toString("utf8"));
        ends.push(endOffset);
        if (!validUtf8) invalid.push(bytes.toString("utf8"));
      },
    });
    cursor = read.next;
    skipped += read.skipped;
    counted += read.lines;
    restarted ||= read.restarted;
    if (!read.more) return { lines, ends, invalid, skipped, counted, restarted, next: cursor };
  }
}

function transcript(content: string | Buffer): string {
  return createTempFolder().write("session.jsonl", content);
}

describe("readLines", () => {
  it("reads every line once, whatever pieces the file grew in", () => {
    const lineEnds = fc.constantFrom("\n", "\r\n");
    const line = fc.oneof(
      fc.record({ text: fc.string({ unit: "binary" }) }).map((value) => JSON.stringify(value)),
      fc.constantFrom('{"half', "[1]", '"text"'),
    );
    const folder = createTempFolder();
    fc.assert(
      fc.property(fc.array(fc.tuple(line, lineEnds)), fc.array(fc.nat(200)), (written, cuts) => {
        const content = Buffer.from(written.flat().join(""));
        const path = folder.write("grown.jsonl", "");
        const seen: string[] = [];
        let cursor: Cursor | undefined;
        let at = 0;
        for (const cut of [...cuts, content.length]) {
          appendFileSync(path, content.subarray(at, at + cut));
          at += cut;
          const read = readAll(path, cursor);
          seen.push(...read.lines.map((text) => text.replace(/\r$/, "")));
          cursor = read.next;
          expect(read.restarted).toBe(false);
        }

        expect(seen).toEqual(written.map(([text]) => text));
        expect(cursor?.offset).toBe(content.length);
      }),
    );
  });

  it("counts raw bytes, not decoded characters", () => {
    const path = transcript(
      Buffer.concat([Buffer.from('{"a":"é'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]),
    );

    const read = readAll(path);

    expect(read.next.offset).toBe(statSync(path).size);
    expect(read.ends).toEqual([statSync(path).size]);
    expect(read.invalid).toEqual(['{"a":"é\ufffd\ufffd"}']);
  });

  it("leaves a half-written last line for later and reads it whole, once", () => {
    const path = transcript('{"n":1}\n{"n":');
    const first = readAll(path);
    appendFileSync(path, "2}\n");

    expect(first.lines).toEqual(['{"n":1}']);
    expect(readAll(path, first.next).lines).toEqual(['{"n":2}']);
  });

  it("takes a last line without line end when it is a whole object, and not again when the line end comes", () => {
    const path = transcript('{"n":1}\r\n{"n":2}');
    const first = readAll(path);
    appendFileSync(path, '\r\n{"n":3}\n');

    expect(first.lines).toEqual(['{"n":1}\r', '{"n":2}']);
    expect(readAll(path, first.next).lines).toEqual(['{"n":3}']);
  });

  it("passes over empty lines and still counts them", () => {
    const read = readAll(transcript('\n\r\n  \n{"n":1}\n\n'));

    expect(read.lines).toEqual(['{"n":1}']);
    expect(read.counted).toBe(5);
  });

  it("stops after a slice and says that more is waiting", () => {
    const line = `${JSON.stringify({ text: "x".repeat(1000) })}\n`;
    const path = transcript(line.repeat(Math.ceil((READ_LIMITS.sliceBytes * 1.5) / line.length)));
    let lines = 0;

    const read = readLines({ files, path, from: undefined, onLine: () => void (lines += 1) });

    expect(read.more).toBe(true);
    expect(read.lines).toBe(lines);
    expect(read.next.offset).toBe(lines * line.length);
    expect(read.next.offset).toBeLessThanOrEqual(READ_LIMITS.sliceBytes + READ_LIMITS.chunkBytes);
    expect(readAll(path).lines).toHaveLength(statSync(path).size / line.length);
  });

  it("reads a line of exactly the bound and skips one that is a byte longer", () => {
    const framed = (bytes: number) => `{"t":"${"x".repeat(bytes - 8)}"}`;
    const path = transcript(
      `${framed(READ_LIMITS.lineBytesMax)}\n${framed(READ_LIMITS.lineBytesMax + 1)}\n{"n":3}\n`,
    );

    const read = readAll(path);

    expect(read.lines.map((line) => line.length)).toEqual([READ_LIMITS.lineBytesMax, 7]);
    expect(read.skipped).toBe(1);
    expect(read.counted).toBe(3);
    expect(read.next.offset).toBe(statSync(path).size);
  });

  it("drops a too long line while it is still being written, counts it once and reads on after it", () => {
    const path = transcript(`{"n":1}\n{"t":"${"x".repeat(READ_LIMITS.lineBytesMax + 10)}`);
    const first = readAll(path);
    appendFileSync(path, "y".repeat(MIB));
    const second = readAll(path, first.next);
    appendFileSync(path, '"}\n{"n":2}\n');
    const third = readAll(path, second.next);

    expect(first.lines).toEqual(['{"n":1}']);
    expect([first.skipped, second.skipped, third.skipped]).toEqual([1, 0, 0]);
    expect(second.lines).toEqual([]);
    expect(third.lines).toEqual(['{"n":2}']);
  });

  it("ends when the file is cut while it is being read", () => {
    const path = transcript('{"n":1}\n'.repeat(400_000));
    let looks = 0;
    const cutting = {
      ...files,
      openRead: (name: string): ReadHandle => {
        const handle = files.openRead(name);
        return {
          ...handle,
          read: (buffer, at) => {
            looks += 1;
            if (looks === 2) truncateSync(path, 3_000);
            return handle.read(buffer, at);
          },
        };
      },
    };

    const read = readLines({ files: cutting, path, from: undefined, onLine: () => {} });

    expect(read.more).toBe(false);
  });

  it("answers source-gone for what is not there or not a regular file", () => {
    const folder = createTempFolder();
    const onLine = () => {};
    mkdirSync(folder.at("folder.jsonl"));
    execFileSync("mkfifo", [folder.at("pipe.jsonl")]);
    symlinkSync("loop.jsonl", folder.at("loop.jsonl"));

    for (const name of ["absent.jsonl", "folder.jsonl", "pipe.jsonl", "absent/below.jsonl"]) {
      expect(() => readLines({ files, path: folder.at(name), from: undefined, onLine })).toThrow(
        expect.objectContaining({ code: "source-gone" }),
      );
      expect(endOfLines(files, folder.at(name))).toBeUndefined();
      expect(peekLines({ files, path: folder.at(name), offset: 0, onLine })).toBeUndefined();
    }
    expect(() => readLines({ files, path: folder.at("loop.jsonl"), from: undefined, onLine })).toThrow(
      "ELOOP",
    );
  });
});

describe("a cursor of a file that changed", () => {
  const line = (n: number, pad = 0) => `${JSON.stringify({ n })}${" ".repeat(pad)}\n`;
  const read3 = () => {
    const path = transcript(line(1) + line(2) + line(3));
    return { path, cursor: readAll(path).next };
  };

  it("starts anew when other records of the same size were written over (B07a)", () => {
    const { path, cursor } = read3();
    writeFileSync(path, line(7) + line(8) + line(9));

    const read = readAll(path, cursor);

    expect(read.restarted).toBe(true);
    expect(read.lines).toHaveLength(3);
  });

  it("starts anew when the file was rewritten longer, and never reads from inside a record (B07b)", () => {
    const { path, cursor } = read3();
    writeFileSync(path, [21, 22, 23, 24, 25].map((n) => line(n, 3)).join(""));

    const read = readAll(path, cursor);

    expect(read.restarted).toBe(true);
    expect(read.lines.map((text) => text.trim())).toEqual([21, 22, 23, 24, 25].map((n) => line(n).trim()));
  });

  it("starts anew when the file shrank and grew again (B07c)", () => {
    const { path, cursor } = read3();
    truncateSync(path, line(1).length);
    appendFileSync(path, line(31));

    const read = readAll(path, cursor);

    expect(read.restarted).toBe(true);
    expect(read.lines).toEqual([line(1).trim(), line(31).trim()]);
  });

  it("starts anew when another file took the name, even with the same beginning (B07d)", () => {
    const { path, cursor } = read3();
    writeFileSync(`${path}.new`, line(1) + line(2) + line(3) + line(41));
    renameSync(`${path}.new`, path);

    const read = readAll(path, cursor);

    expect(read.restarted).toBe(true);
    expect(read.lines).toHaveLength(4);
    expect(readAll(path, read.next).restarted).toBe(false);
  });

  it("never glues a half line of old bytes to new ones (B07e)", () => {
    const path = transcript(`${line(1) + line(2)}{"old":"half`);
    const { next } = readAll(path);
    truncateSync(path, line(1).length);
    appendFileSync(path, line(31));

    expect(readAll(path, next).lines).toEqual([line(1).trim(), line(31).trim()]);
  });

  it("stays where it is when nothing or only new lines were added", () => {
    const { path, cursor } = read3();
    const idle = readAll(path, cursor);
    appendFileSync(path, line(4));

    expect(idle.lines).toEqual([]);
    expect(idle.next).toEqual(cursor);
    expect(readAll(path, cursor)).toMatchObject({ lines: [line(4).trim()], restarted: false });
  });

  it("starts anew for a cursor that no file can have", () => {
    const { path, cursor } = read3();

    for (const offset of [-1, 1.5, Number.NaN, 1e9])
      expect(readAll(path, { ...cursor, offset }).restarted).toBe(true);
    expect(readAll(path, { ...cursor, offset: 0, fingerprint: "" })).toMatchObject({ restarted: false });
  });

  it("is gone with the file", () => {
    const { path, cursor } = read3();
    unlinkSync(path);

    expect(() => readAll(path, cursor)).toThrow(expect.objectContaining({ code: "source-gone" }));
  });
});

describe("endOfLines", () => {
  it("stands after the last whole line, so that reading goes on with what comes next", () => {
    const path = transcript('{"n":1}\n{"n":2}\n{"n":');
    const end = endOfLines(files, path);
    appendFileSync(path, "3}\n");

    expect(end?.offset).toBe(16);
    expect(readAll(path, end)).toMatchObject({ lines: ['{"n":3}'], restarted: false });
  });

  it("finds the last line end far before the end of the file", () => {
    const path = transcript(`{"n":1}\n${"x".repeat(3 * MIB)}`);

    expect(endOfLines(files, path)?.offset).toBe(8);
  });

  it("stands at 0 in an empty file and in one without a line end", () => {
    expect(endOfLines(files, transcript(""))?.offset).toBe(0);
    expect(endOfLines(files, transcript('{"n":1'))?.offset).toBe(0);
  });

  it("stands at the end of a file that ends in a line nobody will read", () => {
    const path = transcript(`{"n":1}\n${"x".repeat(READ_LIMITS.lineBytesMax + 100)}`);
    const end = endOfLines(files, path);
    appendFileSync(path, '"}\n{"n":2}\n');

    expect(readAll(path, end).lines).toEqual(['{"n":2}']);
  });
});

describe("peekLines", () => {
  const peek = (path: string, offset = 0) => {
    const lines: string[] = [];
    peekLines({ files, path, offset, onLine: ({ bytes }) => void lines.push(bytes.toString("utf8")) });
    return lines;
  };

  it("looks at everything when little is there", () => {
    const path = transcript('{"n":1}\n{"n":2}\n{"n":3}');

    expect(peek(path)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(peek(path, 8)).toEqual(['{"n":2}', '{"n":3}']);
    expect(peek(path, 1000)).toEqual([]);
  });

  it("looks at the beginning and the end of much, and reads no more than its bound", () => {
    const line = (n: number) => `${JSON.stringify({ n, pad: "x".repeat(1000) })}\n`;
    const path = transcript(Array.from({ length: 5000 }, (_, n) => line(n)).join(""));

    const lines = peek(path);

    expect(lines[0]).toBe(line(0).trim());
    expect(lines.at(-1)).toBe(line(4999).trim());
    expect(lines.join("").length).toBeLessThanOrEqual(READ_LIMITS.peekBytesMax);
    expect(lines.every((text) => text.endsWith("}"))).toBe(true);
  });

  it("begins with the next line when the offset stands inside one", () => {
    expect(peek(transcript('{"n":1}\n{"n":2}\n'), 3)).toEqual(['{"n":2}']);
    expect(peek(transcript('{"n":{"m":1}}'), 5)).toEqual([]);
  });
});
