import { describe, expect, it } from "vitest";
import type { Slice } from "../../../../../src/intake/transcripts/format.ts";
import type { Fields, TranscriptBuilder } from "../../../../helpers/claude-transcript.ts";
import { createTranscript, recordIdOf } from "../../../../helpers/claude-transcript.ts";
import { kindsOf, place } from "./reading.ts";

const read = (transcript: TranscriptBuilder): Promise<Slice> => place(transcript.text()).read();
const start = () => createTranscript().user("Fix the tax.");
/** An answer with this stop reason; null is what some versions write everywhere. */
const answer = (text: string, stop: string | null, id = "m1"): Fields => ({
  message: { id, role: "assistant", content: [{ type: "text", text }], stop_reason: stop },
});
const CLOSED = { type: "cost-state", sessionId: "s", totalCostUSD: 1 };

describe("a turn is over", () => {
  it.each(["end_turn", "stop_sequence", "max_tokens", "refusal"])(
    "when the model stopped with %s",
    async (stop) => {
      const slice = await read(start().assistant("", answer("Done.", stop)));

      expect(slice.turn).toBe("ended");
      expect(kindsOf(slice.records)).toEqual(["user-text", "assistant-text", "turn-end"]);
      expect(slice.records.at(-1)).toMatchObject({ recordId: recordIdOf(2), endOffset: slice.next.offset });
    },
  );

  it("once, after the last block of a message that spans several records", async () => {
    const slice = await read(
      start()
        .assistant("", {
          message: { id: "m1", content: [{ type: "thinking", thinking: "" }], stop_reason: "end_turn" },
        })
        .assistant("", answer("First.", "end_turn"))
        .assistant("", answer("Second.", "end_turn")),
    );

    expect(kindsOf(slice.records)).toEqual(["user-text", "assistant-text", "assistant-text", "turn-end"]);
  });

  it("before the next prompt, at the place where it was answered", async () => {
    const slice = await read(start().assistant("Done.").user("And the cart?").assistant("Done too."));

    expect(kindsOf(slice.records)).toEqual([
      "user-text",
      "assistant-text",
      "turn-end",
      "user-text",
      "assistant-text",
      "turn-end",
    ]);
    expect(slice.records[2]?.endOffset).toBe(slice.records[1]?.endOffset);
  });

  it.each(["turn_duration", "stop_hook_summary"])("when the client says so by %s", async (subtype) => {
    const slice = await read(start().assistant("", answer("Hm.", null)).other({ type: "system", subtype }));

    expect(slice.turn).toBe("ended");
    expect(kindsOf(slice.records)).toEqual(["user-text", "assistant-text", "turn-end"]);
  });

  it("even when the answer never came", async () => {
    const slice = await read(start().other({ type: "system", subtype: "turn_duration", uuid: "t1" }));

    expect(kindsOf(slice.records)).toEqual(["user-text", "turn-end"]);
    expect(slice.turn).toBe("ended");
  });

  it("once, when several signs say so", async () => {
    const slice = await read(
      start()
        .assistant("Done.")
        .other({ type: "system", subtype: "stop_hook_summary" })
        .other({ type: "system", subtype: "turn_duration" })
        .other(CLOSED),
    );

    expect(kindsOf(slice.records).filter((kind) => kind === "turn-end")).toHaveLength(1);
  });

  it("when the person interrupted it", async () => {
    const partial = { ...answer("This is lo", null), isAbortedMidStream: true };
    const stopped = {
      message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
    };

    const slice = await read(
      start()
        .assistant("", partial)
        .user("", { ...stopped, rowSource: "harness" }),
    );

    expect(kindsOf(slice.records)).toEqual(["user-text", "turn-end"]);
    expect(slice.turn).toBe("ended");
  });

  it("in hindsight, when a version without stop reasons goes on with a new prompt", async () => {
    const slice = await read(start().assistant("", answer("Done.", null)).user("And the cart?"));

    expect(kindsOf(slice.records)).toEqual(["user-text", "assistant-text", "turn-end", "user-text"]);
    expect(slice.turn).toBe("open");
  });

  it("when the request failed for good, which is no answer of the model", async () => {
    const failed = { ...answer("API Error: 529", "stop_sequence"), isApiErrorMessage: true };

    const slice = await read(start().assistant("", failed));

    expect(kindsOf(slice.records)).toEqual(["user-text", "turn-end"]);
  });
});

describe("a turn is open", () => {
  it.each<[string, TranscriptBuilder]>([
    ["after a prompt", start()],
    ["while a tool runs", start().toolCall("Bash", { command: "npm test" })],
    ["after a tool's result", start().toolCall("Bash", { command: "ls" }).toolResult("a")],
    ["after words that announce a tool", start().assistant("", answer("I will look.", "tool_use"))],
    [
      "after an answer cut off in the middle",
      start().assistant("", { ...answer("Lo", null), isAbortedMidStream: true }),
    ],
    [
      "when more was typed behind the answer",
      start().assistant("Done.").other({ type: "queue-operation", operation: "enqueue" }),
    ],
    [
      "when a helper reports back after the end",
      start().assistant("Done.").user("<task-notification>x</task-notification>", { promptSource: "system" }),
    ],
  ])("%s", async (_, transcript) => {
    expect((await read(transcript)).turn).toBe("open");
  });

  it("although an answer without stop reason was followed by a tool call", async () => {
    const slice = await read(start().assistant("", answer("Hm.", null)).toolCall("Bash", { command: "ls" }));

    expect(kindsOf(slice.records)).toEqual(["user-text", "assistant-text", "tool-call"]);
    expect(slice.turn).toBe("open");
  });

  it("no longer once the queue was emptied", async () => {
    const slice = await read(
      start()
        .other({ type: "queue-operation", operation: "enqueue" })
        .assistant("Done.")
        .other({ type: "queue-operation", operation: "dequeue" }),
    );

    expect(slice.turn).toBe("ended");
  });
});

describe("a turn is unknown", () => {
  it("when nothing in the slice says anything", async () => {
    expect((await read(createTranscript().other({ type: "mode" }))).turn).toBe("unknown");
  });

  it("after an answer of a version without stop reasons", async () => {
    expect((await read(start().assistant("", answer("Hm.", null)))).turn).toBe("unknown");
  });

  it("not because of commands, reminders and summaries after its end", async () => {
    const slice = await read(
      start()
        .assistant("Done.")
        .user("<command-name>/compact</command-name>")
        .other({ type: "system", subtype: "compact_boundary", uuid: "c1" })
        .user("A summary.", { isCompactSummary: true })
        .user("Caveat", { isMeta: true }),
    );

    expect(slice.turn).toBe("ended");
    expect(kindsOf(slice.records).slice(2)).toEqual([
      "turn-end",
      "injected",
      "injected",
      "injected",
      "injected",
    ]);
  });
});

describe("a session is closed", () => {
  it("when the client wrote its closing figures last, noise aside", async () => {
    const slice = await read(start().assistant("Done.").other(CLOSED).other({ type: "tools-used" }));

    expect(slice.sessionEnded).toBe(true);
  });

  it("not while a turn is open", async () => {
    expect((await read(start().other(CLOSED))).sessionEnded).toBe(false);
  });

  it("not when it went on after the closing figures", async () => {
    const resumed = start().assistant("Done.").other(CLOSED).user("One more.").assistant("Done.");

    expect((await read(resumed)).sessionEnded).toBe(false);
  });
});
