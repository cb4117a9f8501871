import { describe, expect, it } from "vitest";
import { keyCollisions } from "../../../../src/intake/projects/collisions.ts";

describe("keyCollisions", () => {
  it("names every path that shares a folder in one warning", () => {
    const shared = ["/home/ana/my_app", "/home/ana/my-app", "/home/ana/my.app"];

    const warnings = keyCollisions([
      ...shared.map((root) => ({ root, memoryDir: "/c/-home-ana-my-app/memory" })),
      { root: "/home/ana/shop", memoryDir: "/c/-home-ana-shop/memory" },
    ]);

    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.code).toBe("key_collision");
    for (const root of shared) expect(warnings[0]?.message).toContain(root);
    expect(warnings[0]?.message).not.toContain("shop");
    expect(warnings[0]?.fix).not.toBe("");
  });

  it("does not count one root twice", () => {
    const twice = { root: "/home/ana/shop", memoryDir: "/m" };

    expect(keyCollisions([twice, { ...twice }])).toEqual([]);
  });

  it("stays short when one folder serves everything", () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ root: `/p/${n}`, memoryDir: "/m" }));

    expect(keyCollisions(many)[0]?.message).toMatch(/and 980 more$/);
  });
});
