import { describe, expect, it } from "vitest";
import { claudeProjectKey, createTranscript, recordIdOf, sessionIdOf } from "./claude-transcript.ts";

describe("the transcript builder", () => {
  it("chains records by their parents, a minute apart", () => {
    const transcript = createTranscript().user("Use tabs.").assistant("Done.");

    const [first, second] = transcript.lines().map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      parentUuid: null,
      uuid: recordIdOf(1),
      sessionId: sessionIdOf(1),
      timestamp: "2026-05-04T09:01:00.000Z",
      message: { role: "user", content: "Use tabs." },
    });
    expect(second).toMatchObject({
      parentUuid: recordIdOf(1),
      timestamp: "2026-05-04T09:02:00.000Z",
      message: { stop_reason: "end_turn", content: [{ type: "text", text: "Done." }] },
    });
    expect(transcript.text().endsWith("}\n")).toBe(true);
  });

  it("joins a tool call with its result", () => {
    const [call, result] = createTranscript()
      .toolCall("Write", { file_path: "/home/ana/shop/a.ts" })
      .toolResult("ok")
      .lines()
      .map((line) => JSON.parse(line));

    expect(result.message.content[0].tool_use_id).toBe(call.message.content[0].id);
  });

  it("lets a test put any field over the built ones, or take one away", () => {
    const [line] = createTranscript().user("x", { isMeta: true, cwd: undefined }).lines();

    expect(JSON.parse(line!)).toMatchObject({ isMeta: true });
    expect(line).not.toContain("cwd");
  });

  it("derives the folder name as the client does", () => {
    expect(claudeProjectKey("/home/ana/my.shop_1")).toBe("-home-ana-my-shop-1");
  });
});
