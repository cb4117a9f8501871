// The socket of a running daemon, as a script or a status bar asks it.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { EVENT_LIMITS } from "../../src/serve/control/event-stream.ts";
import { ANSWERS } from "../../src/serve/control/documents.ts";
import { PAGES, ROUTES } from "../../src/serve/control/routes.ts";
import type { EventListener } from "../helpers/socket-client.ts";
import { askSocket, listenToEvents } from "../helpers/socket-client.ts";
import { parseOpenMetrics } from "../helpers/openmetrics.ts";
import { checkerOf, SOCKET_ERROR } from "../schemas/documents.ts";
import { quickStory, started, turn, written } from "./running.ts";
import { MOCKS, S1, SHOP, TABS } from "./story.ts";

/** Questions that have to succeed; a route that is not named may also refuse. */
const REQUESTS: Readonly<Record<string, object>> = {
  status: {},
  overview: {},
  memories: { all: true },
  runs: { limit: 5 },
  inbox: {},
  acceptItems: { all: true, project: SHOP },
  rejectItems: { all: true, project: SHOP },
  lint: { all: true },
  fixLint: { all: true },
  sync: {},
  remember: { text: "Deploys happen on Tuesdays.", project: SHOP },
  forget: { name: "tabs", project: SHOP },
  pause: { forMs: 60_000 },
  resume: {},
};

function targetOf(path: string, request: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

describe("the socket of a running daemon", () => {
  it("answers every route with what its description says", async () => {
    const story = quickStory();
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);

    for (const { name, method, path } of ROUTES) {
      const request = REQUESTS[name] ?? {};
      const { status, text } = await askSocket(story.home.socket, {
        method,
        path: method === "GET" ? targetOf(path, request) : path,
        ...(method === "POST" ? { body: request } : {}),
      });
      const schema = status === 200 ? checkerOf(ANSWERS[name]) : SOCKET_ERROR;
      expect(schema.safeParse(JSON.parse(text)), `${path} ${text}`).toMatchObject({ success: true });
      if (REQUESTS[name] !== undefined) expect(status, `${path} ${text}`).toBe(200);
    }
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });

  it("describes itself, and measures itself in OpenMetrics", async () => {
    const story = quickStory();
    story.transcript(SHOP, S1, turn(TABS));
    const daemon = await started(story);
    await written(daemon, /tabs/);
    await daemon.waitForEvent("job:finished");

    const description = await askSocket(story.home.socket, { path: "/v1/openapi.json" });
    const metrics = await askSocket(story.home.socket, { path: "/metrics" });

    const paths = Object.keys(JSON.parse(description.text).paths);
    expect(new Set(paths)).toEqual(new Set([...ROUTES, ...PAGES].map(({ path }) => path)));
    expect(metrics.headers["content-type"]).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    const families = parseOpenMetrics(metrics.text);
    const valueOf = (name: string) => families.find((one) => one.name === name)?.samples[0]?.value;
    expect(valueOf("engramd_memories")).toBe(1);
    expect(valueOf("engramd_runs")).toBe(1);
    expect(valueOf("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    expect(valueOf("process_cpu_seconds")).toBeGreaterThan(0.01);
    expect(metrics.text).not.toContain(story.home.home);
  });

  it("tells what it does as it happens, and what a client missed", async () => {
    const story = quickStory();
    const daemon = await started(story);
    const { socket } = story.home;
    const first = await listenToEvents(socket);
    expect(first.events().map(({ name }) => name)).toEqual(["state"]);

    story.transcript(SHOP, S1, turn(TABS));
    const created = await first.waitFor("memory-created");
    await first.waitFor("run-ended");

    expect(created.data).toMatchObject({
      memoryDir: story.memoryDir(SHOP),
      file: expect.stringMatching(/tabs/),
    });
    expect(first.events().map(({ name }) => name)).toEqual(expect.arrayContaining(["run-started"]));
    first.leave();
    const again = await listenToEvents(socket, created.id);
    await again.waitFor("run-ended");
    expect(again.events().map(({ name }) => name)).not.toContain("memory-created");

    await askSocket(socket, { method: "POST", path: "/v1/pause", body: {} });
    await askSocket(socket, {
      method: "POST",
      path: "/v1/remember",
      body: { text: "Deploys happen on Tuesdays.", project: SHOP },
    });
    await again.waitFor("state", ({ data }) => data["state"] === "paused");
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    await again.ended;
    expect(again.events().at(-1)).toMatchObject({ name: "state", data: { state: "stopping" } });
  });

  it("gives the places of clients that were killed to others, and goes on answering while all are taken", async () => {
    const story = quickStory();
    await started(story);
    const { socket } = story.home;
    const script = `
      const { request } = require("node:http");
      let open = 0;
      for (let count = 0; count < ${EVENT_LIMITS.listenersMax}; count++)
        request({ socketPath: process.argv[1], path: "/v1/events" }, (answer) => {
          answer.resume();
          if (++open === ${EVENT_LIMITS.listenersMax}) console.log("all");
        }).end();`;
    const crowd = spawn(process.execPath, ["-e", script, socket], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void crowd.kill("SIGKILL"));
    await new Promise((resolve) => crowd.stdout.once("data", resolve));

    await expect(listenToEvents(socket)).rejects.toThrow("too-many-listeners");
    expect((await askSocket(socket, { path: "/v1/status" })).status).toBe(200);
    const gone = new Promise((resolve) => crowd.once("close", resolve));
    crowd.kill("SIGKILL");
    await gone;

    // The end of a connection is noticed with the next turn of the daemon's event loop.
    let place: EventListener | undefined;
    for (let tries = 0; place === undefined && tries < 50; tries += 1)
      place = await listenToEvents(socket).catch(() => undefined);
    expect(place?.events()).toHaveLength(1);
  });

  it("ends in time although clients listen, one of them without reading", async () => {
    const story = quickStory();
    const daemon = await started(story);
    const reading = await listenToEvents(story.home.socket);
    const script = `
      const socket = require("node:net").connect(process.argv[1], () => {
        socket.write("GET /v1/events HTTP/1.1\\r\\nHost: engramd\\r\\n\\r\\n");
        socket.pause();
        console.log("asked");
      });`;
    const stuck = spawn(process.execPath, ["-e", script, story.home.socket], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void stuck.kill("SIGKILL"));
    await new Promise((resolve) => stuck.stdout.once("data", resolve));
    story.transcript(SHOP, S1, turn(MOCKS));
    await reading.waitFor("memory-created");
    const startMs = performance.now();

    expect(await daemon.stop()).toMatchObject({ code: 0 });

    expect(performance.now() - startMs).toBeLessThan(10_000);
    await reading.ended;
  });

  it("serves others while idle clients hold every place (fault 114)", async () => {
    const story = quickStory();
    await started(story);
    await Promise.all(
      Array.from({ length: 500 }, () => {
        const socket = connect(story.home.socket);
        onTestFinished(() => void socket.destroy());
        socket.on("error", () => undefined);
        return new Promise<void>((resolve) => socket.once("connect", () => resolve()));
      }),
    );

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askSocket(story.home.socket, { path: "/v1/status" })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  });

  it("cuts off who sends a gigabyte, holds little of it, and answers others meanwhile (fault 113)", async () => {
    const story = quickStory();
    await started(story);
    const { socket } = story.home;
    const residentBytes = async () =>
      parseOpenMetrics((await askSocket(socket, { path: "/metrics" })).text).find(
        ({ name }) => name === "process_resident_memory_bytes",
      )?.samples[0]?.value ?? 0;
    const before = await residentBytes();
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(0x10000, " "), Buffer.from("\r\n")]);
    const clients = Array.from({ length: 20 }, () => sendForEver(socket, chunk));

    const status = await askSocket(socket, { path: "/v1/status" });
    const sent = await Promise.all(clients);

    expect(status.status).toBe(200);
    expect(Math.max(...sent)).toBeLessThan(GIGABYTE / 10);
    expect((await residentBytes()) - before).toBeLessThan(100_000_000);
  });
});

const GIGABYTE = 1_000_000_000;

/** How many bytes were taken before the daemon closed the connection. */
function sendForEver(socketPath: string, chunk: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => {
      socket.write("POST /v1/sync HTTP/1.1\r\nHost: engramd\r\nTransfer-Encoding: chunked\r\n\r\n");
      const more = () => {
        while (socket.bytesWritten < GIGABYTE && socket.write(chunk));
      };
      socket.on("drain", more);
      more();
    });
    onTestFinished(() => void socket.destroy());
    socket.resume();
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(socket.bytesWritten));
  });
}
