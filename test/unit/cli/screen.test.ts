import { describe, expect, it } from "vitest";
import { line, span } from "../../../src/cli/render/line.ts";
import { createScreen } from "../../../src/cli/render/screen.ts";

function setUp(size: { columns?: number; rows?: number } = { columns: 20, rows: 4 }) {
  const written: string[] = [];
  const outlet = {
    write: (text: string) => void written.push(text),
    isTerminal: true,
    columns: size.columns,
    rows: size.rows,
  };
  const screen = createScreen(outlet, { colour: false });
  return { screen, outlet, written, last: () => written.at(-1) ?? "" };
}

const lines = (...texts: readonly string[]) => texts.map((text) => line(text));

describe("a picture that stays in place", () => {
  it("takes the other screen first and gives the terminal back once", () => {
    const { screen, written } = setUp();
    screen.draw(lines("a"));
    screen.close();
    screen.close();
    screen.draw(lines("late"));

    expect(written[0]).toBe("\u001b[?1049h\u001b[?25l");
    expect(written.slice(2)).toEqual(["\u001b[?25h\u001b[?1049l"]);
  });

  it("is one write with every line in its row", () => {
    const { screen, written, last } = setUp();
    screen.draw(lines("a", "b"));

    expect(written).toHaveLength(2);
    expect(last()).toBe("\u001b[?2026h\u001b[2J\u001b[1;1Ha\u001b[K\u001b[2;1Hb\u001b[K\u001b[?2026l");
  });

  it("afterwards writes lines that changed, and nothing where none did", () => {
    const { screen, written, last } = setUp();
    screen.draw(lines("a", "b", "c"));
    screen.draw(lines("a", "B"));
    expect(last()).toBe("\u001b[?2026h\u001b[2;1HB\u001b[K\u001b[3;1H\u001b[K\u001b[?2026l");

    screen.draw(lines("a", "B"));
    expect(written).toHaveLength(3);
  });

  it("is drawn whole after the terminal changed", () => {
    const { screen, last } = setUp();
    screen.draw(lines("a"));
    screen.forget();
    screen.draw(lines("a"));

    expect(last()).toContain("\u001b[2J\u001b[1;1Ha");
  });

  it("never wraps: long lines are cut, wide characters too", () => {
    const { screen, last } = setUp({ columns: 6, rows: 4 });
    screen.draw([line(span("日本語日本語")), line("abc", "defghij")]);

    expect(last()).toContain("\u001b[1;1H日本…\u001b[K");
    expect(last()).toContain("\u001b[2;1Habcde…\u001b[K");
  });

  it("says in its last row that there is more", () => {
    const { screen, last } = setUp({ columns: 60, rows: 3 });
    screen.draw(lines("a", "b", "c", "d", "e"));

    expect(last()).toContain("\u001b[2;1Hb");
    expect(last()).toContain("\u001b[3;1H... 3 more lines: engramd status");
    expect(last()).not.toContain("\u001b[4;1H");
  });

  it("has a usual size where the terminal tells none", () => {
    const { screen, last } = setUp({ columns: 0, rows: 0 });
    screen.draw(lines("a".repeat(200)));

    expect(last()).toContain(`${"a".repeat(79)}…`);
  });

  it("does not let a line tell the terminal anything", () => {
    const { screen, last } = setUp();
    screen.draw([[{ text: "x\u001b[3Jy\u0007", tone: "plain" }]]);

    expect(last()).toContain("\u001b[1;1Hx[3Jy\u001b[K");
  });
});
