import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longKeyPrefix, projectId, projectKey } from "../../../../src/intake/projects/key.ts";

/** Six folders of 42 characters below `/home/dev/src`: 271 characters. */
const LONG_ROOT = `/home/dev/src/${[1, 2, 3, 4, 5, 6].map((n) => `segment-number-${n}-with-a-rather-long-name_x`).join("/")}`;

describe("projectKey", () => {
  it.each([
    ["/Users/alice/my-project", "-Users-alice-my-project"],
    ["/a/b.c/d_e", "-a-b-c-d-e"],
    ["/", "-"],
    ["C:\\Dev\\Sample_App\\core_lib", "C--Dev-Sample-App-core-lib"],
    ["/home/dev/src/My Project_v1.2 (é日本)", "-home-dev-src-My-Project-v1-2------"],
    ["/home/ana/work/新聞", "-home-ana-work---"],
    ["/x/😀", "-x---"],
  ])("turns %s into %s, character by character", (root, key) => {
    expect(projectKey(root)).toBe(key);
  });

  it("gives the composed and the decomposed spelling of a name one key", () => {
    expect(projectKey("/home/ana/한글".normalize("NFD"))).toBe("-home-ana---");
    expect(projectKey("/home/ana/한글")).toBe("-home-ana---");
  });

  it("keeps 200 characters whole and replaces the rest of a longer name by the agent's own hash", () => {
    const whole = `/${"x".repeat(199)}`;

    expect(projectKey(whole)).toBe(`-${"x".repeat(199)}`);
    expect(projectKey(`${whole}y`)).toMatch(/^-x{199}-[0-9a-z]{1,7}$/);
    expect(LONG_ROOT).toHaveLength(271);
    expect(projectKey(LONG_ROOT)).toHaveLength(207);
    expect(projectKey(LONG_ROOT)).toMatch(/-tkg5ik$/);
  });

  it("names the beginning under which other hashes of a long key are found", () => {
    expect(longKeyPrefix(LONG_ROOT)).toBe(`${projectKey(LONG_ROOT).slice(0, 200)}-`);
    expect(longKeyPrefix("/home/ana/shop")).toBeUndefined();
  });

  it("never leaves its alphabet or its length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (root) => {
        const key = projectKey(root);

        expect(key).toMatch(/^[A-Za-z0-9-]*$/);
        expect(key.length).toBeLessThanOrEqual(208);
      }),
    );
  });
});

describe("projectId", () => {
  it("is readable, and one for both spellings of a name", () => {
    expect(projectId("/home/ana/My Shop_2")).toMatch(/^My-Shop-2-[0-9a-f]{16}$/);
    expect(projectId("/")).toMatch(/^root-[0-9a-f]{16}$/);
    expect(projectId("/home/ana/한글".normalize("NFD"))).toBe(projectId("/home/ana/한글"));
  });

  it("tells roots apart that share a key, and homes apart that share a root", () => {
    const roots = ["/home/ana/my_app", "/home/ana/my-app", "/home/ana/my.app", "/home/ana/my/app"];

    expect(new Set(roots.map(projectKey)).size).toBe(1);
    expect(new Set(roots.map((root) => projectId(root))).size).toBe(4);
    expect(projectId("/workspaces/app", "/a/.claude")).not.toBe(projectId("/workspaces/app", "/b/.claude"));
  });

  it("is safe as a file name for any root", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (root) => {
        expect(projectId(root)).toMatch(/^[A-Za-z0-9][A-Za-z0-9-]{0,60}$/);
      }),
    );
  });
});
