// A client of the real SDK against the stub server, on a clock that only tests move.
import { afterEach, expect } from "vitest";
import type { AppError } from "../../../../src/domain/errors.ts";
import { AppError as Known } from "../../../../src/domain/errors.ts";
import type { ModelClient } from "../../../../src/domain/models.ts";
import { createAnthropicClient } from "../../../../src/learn/models/anthropic/index.ts";
import type { KeySource } from "../../../../src/learn/models/key.ts";
import type { ManualClock } from "../../../helpers/manual-clock.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import type { ModelStub } from "../../../helpers/model-stub.ts";
import { startModelStub } from "../../../helpers/model-stub.ts";
import { fixedKey } from "./request.ts";

/** Looks like no known format, so only masking by value can remove it. */
export const KEY = ["plain", "model", "key", "0815"].join("-");

export interface Scene {
  readonly stub: ModelStub;
  readonly client: ModelClient;
  readonly clock: ManualClock;
}

export interface SceneOptions {
  readonly baseUrl?: string;
  readonly keys?: KeySource;
}

export type OpenScene = (options?: SceneOptions) => Promise<Scene>;

/** Called at the top of a file, after `checkLeaks()`: what its tests open is closed before leaks are counted. */
export function useScenes(): OpenScene {
  const close: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const one of close.splice(0)) await one();
  });
  return async ({ baseUrl, keys } = {}) => {
    const stub = await startModelStub();
    const clock = createManualClock();
    const stray: unknown[] = [];
    const note = (reason: unknown) => void stray.push(reason);
    process.on("unhandledRejection", note);
    close.push(async () => {
      process.off("unhandledRejection", note);
      await stub.close();
      expect(stray, "rejections nobody handled").toEqual([]);
      expect(clock.pendingTimers(), "timers left behind").toBe(0);
    });
    const client = createAnthropicClient({
      provider: "anthropic",
      baseUrl: baseUrl ?? stub.url,
      keys: keys ?? fixedKey(KEY),
      keyNeeded: true,
      clock,
    });
    return { stub, client, clock };
  };
}

/** The error a request ended with; fails when it did not. */
export async function failureOf(answer: Promise<unknown>): Promise<AppError> {
  const outcome = await answer.then(
    () => new Error("the request succeeded"),
    (reason: unknown) => reason,
  );
  if (outcome instanceof Known) return outcome;
  throw outcome;
}

/** A socket needs some turns of the event loop, and nobody knows how many. */
export async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 1 }).toBe(true);
}
