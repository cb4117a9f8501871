// A long answer that is waited for while somebody is there, and no longer.
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "../../../src/domain/errors.ts";
import { exchangeWatched } from "../../../src/serve/client/vigil.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"v":1}';
const NO_PAGE = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}";

interface Speaker {
  readonly socket: string;
  /** Looks that were answered or left. */
  looks(): number;
  /** Says so to whoever asked the long question. */
  say(text: string): void;
}

/** Somebody who answers a look as `onLook` says, and the long question when told to. */
async function startSpeaker(onLook: (look: number) => string | undefined): Promise<Speaker> {
  const socket = createTempFolder().at("s.sock");
  let looks = 0;
  let asker: Socket | undefined;
  const server = createServer((client) => {
    client.on("error", () => undefined);
    client.on("data", (bytes) => {
      if (String(bytes).startsWith("POST")) return void (asker = client);
      looks += 1;
      const text = onLook(looks);
      if (text !== undefined) client.end(text);
    });
    onTestFinished(() => void client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return { socket, looks: () => looks, say: (text) => void asker?.write(text) };
}

/** Asks, moves the clock for so many seconds, and tells how it stands then. */
function asking({ socket }: Speaker) {
  const clock = createManualClock();
  const silences: number[] = [];
  const question = { socket, method: "POST", target: "/v1/sync", body: {}, answerMs: undefined } as const;
  let end: unknown;
  const asked = exchangeWatched(question, { clock, onLook: (ms) => void silences.push(ms) });
  const over = asked.then(
    (answer) => (end = answer),
    (error: unknown) => (end = error),
  );
  /** Real sockets take real turns. */
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 1) {
      for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(1_000);
    }
  };
  return { clock, silences, pass, over, end: () => end };
}

describe("a long question", () => {
  it("to somebody who takes it and never says a word ends after half a minute, with what to do", async () => {
    const { pass, end, silences, clock } = asking(await startSpeaker(() => undefined));

    await pass(29);
    expect(end()).toBeUndefined();
    await pass(2);

    expect(end()).toMatchObject({ code: "daemon-silent", exitCode: EXIT.alreadyRunning });
    expect(silences.slice(0, 2)).toEqual([10_000, 20_000]);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("is waited for as long as it takes while looks are answered, whatever the answer", async () => {
    const speaker = await startSpeaker((look) => (look % 2 === 0 ? "what?\r\n\r\n" : NO_PAGE));
    const { pass, end, over, silences, clock } = asking(speaker);

    await pass(600);
    expect(end()).toBeUndefined();
    expect(new Set(silences)).toEqual(new Set([0]));
    speaker.say(ANSWER);

    expect(await over).toEqual({ status: 200, text: '{"v":1}' });
    expect(clock.pendingTimers()).toBe(0);
  });

  it("outlives two looks in a row without an answer, and again two", async () => {
    const speaker = await startSpeaker((look) => (look % 3 === 0 ? NO_PAGE : undefined));
    const { pass, end } = asking(speaker);

    await pass(200);

    expect(end()).toBeUndefined();
    expect(speaker.looks()).toBeGreaterThan(15);
  });

  it("whose answer begins and never ends is over soon, although looks are answered", async () => {
    const speaker = await startSpeaker(() => NO_PAGE);
    const { pass, end } = asking(speaker);

    await pass(100);
    speaker.say(ANSWER.slice(0, -2));
    await pass(31);

    expect(end()).toMatchObject({ code: "daemon-silent" });
  });
});
