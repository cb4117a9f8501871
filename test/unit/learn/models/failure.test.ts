// The table of failures: what is tried again, and what a person is told.
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/domain/errors.ts";
import { MODEL_LIMITS } from "../../../../src/domain/limits.ts";
import {
  fixOf,
  mayBeBilled,
  MODEL_FAILURES,
  modelFailure,
  type ModelFailureCode,
} from "../../../../src/learn/models/failure.ts";

const CODES = Object.keys(MODEL_FAILURES) as ModelFailureCode[];
/** A person mends these, and nobody tells us when. */
const MENDED: readonly ModelFailureCode[] = [
  "model-key-missing",
  "model-key-unsafe",
  "model-key-rejected",
  "model-credit",
  "model-not-found",
  "model-retired",
  "model-program-missing",
  "model-program-unusable",
  "model-login",
];

describe("a failure that a person mends", () => {
  it.each(MENDED)("%s is never given up, asked again every 15 minutes and has a fix", (code) => {
    const facts = { detail: "host", disposition: "give-up", retryAfterMs: 5 } as const;

    for (const failure of [modelFailure(code, { detail: "host" }), modelFailure(code, facts)]) {
      expect(failure).toMatchObject({ code, disposition: "retry", retryAfterMs: 900_000 });
      expect(failure.retryAfterMs).toBe(MODEL_LIMITS.mendMs);
    }
    expect(fixOf({ code, message: "what (host)" })).toBe(MODEL_FAILURES[code].fix);
  });
});

describe("any other failure", () => {
  it.each(CODES.filter((code) => !MENDED.includes(code)))("%s follows what the server says", (code) => {
    const { disposition } = MODEL_FAILURES[code];

    expect(modelFailure(code, { detail: "host" })).toMatchObject({ disposition, retryAfterMs: undefined });
    expect(modelFailure(code, { detail: "host", disposition: "give-up", retryAfterMs: 5 })).toMatchObject({
      disposition: "give-up",
      retryAfterMs: 5,
    });
  });
});

describe("the fix of a code", () => {
  it.each(["model-overloaded", "model-rate-limited", "model-timeout", "timed-out", "constructor", ""])(
    "%j is none: it passes by itself, or is not a model's",
    (code) => {
      expect(fixOf({ code, message: "what (host)" })).toBeUndefined();
    },
  );

  it.each([
    "model-program-missing",
    "model-program-unusable",
    "model-login",
    "model-answer-unusable",
  ] as const)("%s is told of the program that was asked, and of no other", (code) => {
    for (const [name, other] of [
      ["claude", "codex"],
      ["codex", "claude"],
    ] as const) {
      for (const detail of [name, `${name}, exit 1`]) {
        const failure = modelFailure(code, { detail });
        expect(failure.fix?.toLowerCase()).toContain(name);
        expect(failure.fix?.toLowerCase()).not.toContain(other);
        expect(fixOf(failure)).toBe(failure.fix);
      }
    }
    expect(modelFailure(code, { detail: "claude.example" }).fix).not.toMatch(/claude|codex/u);
  });
});

describe("what may be billed", () => {
  it("is known by its code, or better by the failure itself", () => {
    const billed = CODES.filter((code) => mayBeBilled(modelFailure(code, { detail: "host" })));

    expect(billed).toEqual(["model-timeout", "model-stream-cut", "model-answer-unusable"]);
    for (const code of CODES) {
      expect(mayBeBilled(new AppError({ code, message: "x" }))).toBe(billed.includes(code));
      expect(mayBeBilled(modelFailure(code, { detail: "host", processed: true }))).toBe(true);
      expect(mayBeBilled(modelFailure(code, { detail: "host", processed: false }))).toBe(false);
    }
    for (const other of [new Error("x"), new AppError({ code: "toString", message: "x" }), undefined]) {
      expect(mayBeBilled(other)).toBe(false);
    }
  });
});
