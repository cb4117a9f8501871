import { describe, expect, it } from "vitest";
import { sameFact } from "../../../../src/memory/files/same-fact.ts";
import { memoryOf } from "./memory-builder.ts";

function same(a: string, b: string): boolean {
  const draft = { name: "x", description: a, type: "feedback", body: a } as const;
  return sameFact(draft, memoryOf("x.md", { type: "feedback", description: b, body: b }));
}

describe("two statements say the same", () => {
  it.each([
    ["Always use tabs for indentation.", "always use tabs for indentation"],
    ["Commit messages are written in English", "Please, commit messages written in English!"],
    ["提交信息用英文。", "提交信息用英文"],
    ["コミットメッセージは英語で書く", "コミットメッセージは英語で書く。"],
    ["Der Server läuft auf Port 8080", "der server läuft auf port 8080."],
  ])("%s / %s", (a, b) => {
    expect(same(a, b)).toBe(true);
  });

  it("although reasons below differ", () => {
    const draft = {
      name: "x",
      description: "use tabs here",
      type: "feedback",
      body: "Use tabs here.\n\n**Why:** a",
    } as const;

    expect(
      sameFact(
        draft,
        memoryOf("x.md", {
          type: "feedback",
          description: "use tabs here",
          body: "Use tabs here.\n\n**Why:** b",
        }),
      ),
    ).toBe(true);
  });
});

describe("two statements differ", () => {
  it.each([
    ["Always run the tests before a commit", "Never run the tests before a commit"],
    ["Use tabs", "Do not use tabs"],
    ["The API listens on port 8080", "The API listens on port 9090"],
    ["Build with `make all`, then deploy", "Build with `make-all`, then deploy"],
    ["Logs are in /var/log/app", "Logs are in /var/log/api"],
    ["Use fooBar for the helper name", "Use foobar for the helper name"],
    ["提交信息要用英文", "提交信息不要用英文"],
    ["コミットは英語で書く", "コミットは英語で書かない"],
    ["Usa espacios en el código", "No uses espacios en el código"],
    ["We deploy on Friday", "We deploy on Monday"],
    ["tabs", "spaces"],
  ])("%s / %s", (a, b) => {
    expect(same(a, b)).toBe(false);
  });

  it("when their types differ", () => {
    const draft = { name: "x", description: "use tabs", type: "user", body: "" } as const;

    expect(sameFact(draft, memoryOf("x.md", { type: "feedback", description: "use tabs", body: "" }))).toBe(
      false,
    );
  });

  it("when the heading is the same and a value in the body is not", () => {
    const draft = {
      name: "x",
      description: "port of the api",
      type: "project",
      body: "It is 9090.",
    } as const;

    expect(sameFact(draft, memoryOf("x.md", { description: "port of the api", body: "It is 8080." }))).toBe(
      false,
    );
  });
});
