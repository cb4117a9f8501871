import { describe, expect, it } from "vitest";
import { MEMORY_LIMITS } from "../../../../../src/domain/limits.ts";
import { claudeProjectKey, createTranscript } from "../../../../helpers/claude-transcript.ts";
import { runCommand } from "../../../../helpers/daemon-process.ts";
import { createScratchHome } from "../../../../helpers/scratch-home.ts";

const COUNT = MEMORY_LIMITS.changesMax * 2 + 7;
const CWD = "/home/ana/shop";

describe("a session that teaches more than one change set holds", () => {
  it("saves every statement once, and a second reading adds none", async () => {
    const home = createScratchHome();
    const session = createTranscript({ cwd: CWD, startAt: Date.now() - COUNT * 2 * 60_000 });
    for (let number = 1; number <= COUNT; number++) {
      session
        .user(`Remember that machine rack${number} holds the books of branch ${number}.`)
        .assistant("Noted.");
    }
    home.folder.write(
      `home/.claude/projects/${claudeProjectKey(CWD)}/${session.sessionId}.jsonl`,
      session.text(),
    );

    const first = JSON.parse((await runCommand({ home, args: ["sync", "--json"] })).stdout);
    expect(first.memories.refused).toEqual([]);
    expect(first.memories.created).toBe(COUNT);

    const again = JSON.parse((await runCommand({ home, args: ["sync", "--json"] })).stdout);
    expect(again.memories.created).toBe(0);
    const listed = await runCommand({ home, args: ["list", "--json", "--project", CWD] });
    const texts = JSON.parse(listed.stdout).memories.map((each: { description: string }) => each.description);
    expect(new Set(texts).size).toBe(COUNT);
  });
});
