import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranscriptRecord } from "../../../../src/domain/records.ts";
import { renderRecord, renderText } from "../../../../src/memory/secrets/render.ts";
import { randomText, tokens } from "./made-up-tokens.ts";

const common = {
  recordId: "r1",
  sessionId: "s1",
  agent: "claude-code",
  at: 0,
  cwd: "/srv/a",
  origin: "user",
  endOffset: 1,
} as const;
const said = (text: string): TranscriptRecord => ({ ...common, kind: "user-text", text });
const result = (preview: string): TranscriptRecord => ({
  ...common,
  kind: "tool-result",
  callId: "c",
  ok: true,
  preview,
  bytes: 9,
});

describe("a rendered record", () => {
  it("has one form of letters and line ends and no control or direction characters", () => {
    expect(renderRecord(said("Gru\u0308n\r\nzwei\u2028drei \u001b[31mrot\u202e\u0007\tend"))).toBe(
      "Grün\nzwei\ndrei [31mrot  end",
    );
  });

  it("holds no secret, whoever wrote it", () => {
    const token = tokens.github();
    const records: TranscriptRecord[] = [
      said(`my token ${token}`),
      { ...common, kind: "assistant-text", text: `your token ${token}` },
      result(`GITHUB_TOKEN=${token}`),
      { ...common, kind: "tool-call", tool: "Bash", callId: "c", preview: `{"command":"export T=${token}"}` },
    ];

    for (const record of records) {
      expect(renderRecord(record)).toContain("[secret:github-pat]");
      expect(renderRecord(record)).not.toContain(token);
    }
  });

  it("does not show the half of a secret that a cut left over", () => {
    const cut = `${"output ".repeat(68)}TOKEN=${tokens.anthropic()}`.slice(0, 500);

    expect(renderRecord(result(cut))).not.toContain("sk-ant");
    expect(renderRecord(result(cut)).endsWith("…")).toBe(true);
  });

  it("is empty where nobody speaks", () => {
    expect(renderRecord({ ...common, kind: "injected", what: "reminder" })).toBe("");
    expect(renderRecord({ ...common, kind: "turn-end" })).toBe("");
  });

  it("names the tool of a call", () => {
    expect(
      renderRecord({ ...common, kind: "tool-call", tool: "Read", callId: "c", preview: '{"file":"a"}' }),
    ).toBe('Read {"file":"a"}');
  });
});

it("rendering a rendering changes nothing: a quote of it is found in it", () => {
  const part = fc.constantFrom(
    "e\u0301",
    "\r\n",
    "\t",
    "\u200b",
    "word ",
    `${randomText(12)} `,
    ` ${tokens.awsId()} `,
    "\u001b",
    "パスワード",
    "\u0345",
    "a\u{1d16d}",
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const once = renderText(parts.join(""));
      expect(renderText(once)).toBe(once);
      expect(once).not.toMatch(/[^\n\P{Cc}]/u);
    }),
    { numRuns: 500 },
  );
});
