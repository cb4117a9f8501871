// Memories for tests that need no file on disk.
import type { Memory } from "../../../../src/domain/memories.ts";

export function memoryOf(file: string, fields: Partial<Memory> = {}): Memory {
  return {
    file,
    name: file.replace(/\.md$/u, "").replaceAll("_", "-"),
    description: `what ${file} says`,
    type: "project",
    body: "text",
    frontmatter: "ok",
    hash: "0",
    mtimeMs: Date.UTC(2026, 4, 1),
    confirmed: undefined,
    modified: undefined,
    originSessionId: undefined,
    evidence: [],
    origin: undefined,
    links: [],
    ...fields,
  };
}
