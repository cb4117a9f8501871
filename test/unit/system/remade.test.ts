import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { remade } from "../../../src/system/remade.ts";

/** What `make` made is held until the end of the turn that asked for it. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

describe("what is remade", () => {
  it("is made by its first use, and once while somebody holds it", async () => {
    let count = 0;
    const table = remade(() => ({ number: ++count }));
    expect(count).toBe(0);

    const held = table();
    await nextTurn();
    collect();

    expect(table()).toBe(held);
    expect(count).toBe(1);
  });

  it("is let go of when nobody holds it, and made anew", async () => {
    let count = 0;
    const table = remade(() => ({ number: ++count }));
    table();
    await nextTurn();
    collect();

    expect(table().number).toBe(2);
  });
});
