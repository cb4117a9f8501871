import { spawnSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppError, EXIT } from "../../../src/domain/errors.ts";
import { SOCKET_LIMITS } from "../../../src/domain/limits.ts";
import type { EngramdService } from "../../../src/domain/service.ts";
import { createRemoteService } from "../../../src/serve/client/remote-service.ts";
import type { ControlLimits } from "../../../src/serve/control/server.ts";
import { createControlServer } from "../../../src/serve/control/server.ts";
import { createClock, wait } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { startChild } from "../../helpers/child-process.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";
import { createFakeService } from "./fake-service.ts";

const HAS_CURL = spawnSync("curl", ["--version"]).status === 0;

const clock = createClock();
const files = createFiles();

interface Options {
  readonly answers?: Partial<EngramdService>;
  readonly limits?: Partial<ControlLimits>;
}

async function startServer({ answers, limits }: Options = {}) {
  const service = createFakeService(answers);
  const failures: unknown[] = [];
  const socketPath = createTempFolder().at("r/s.sock");
  const server = createControlServer({
    service,
    socketPath,
    files,
    clock,
    onFailure: (error) => failures.push(error),
    limits: { ...SOCKET_LIMITS, ...limits },
  });
  await server.start();
  onTestFinished(() => server.stop({ withinMs: 0 }));
  const remote = createRemoteService({
    address: { sockets: [socketPath], pid: undefined, version: undefined },
    files,
    clock,
  });
  return { service, failures, socketPath, server, remote };
}

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly all: string;
}

/** Everything the server says to these bytes until it closes; status 0 when it says nothing. */
function say(socketPath: string, text: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write(text));
    let all = "";
    socket.setEncoding("utf8").on("data", (part: string) => (all += part));
    // What matters is what was said before the connection broke.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      const [head = "", body = ""] = all.split("\r\n\r\n");
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body, all });
    });
  });
}

function request(
  line: string,
  { body = "", host = "engramd" }: { body?: string; host?: string } = {},
): string {
  const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${length}\r\n${body}`;
}

function errorOf({ body }: RawAnswer): { code: string; message: string; fix: string } {
  return JSON.parse(body).error;
}

function openIdle(socketPath: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => resolve(socket));
    socket.once("error", reject);
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
  });
}

describe("the control socket", () => {
  it.skipIf(!HAS_CURL)("answers curl (needs curl)", async () => {
    const { socketPath } = await startServer();
    const curl = startChild({
      command: "curl",
      args: ["-s", "--unix-socket", socketPath, "http://engramd/v1/status"],
    });

    expect(await curl.exit).toMatchObject({ code: 0 });
    expect(JSON.parse(curl.stdout())).toMatchObject({ v: 1, state: "idle" });
  });

  it("carries every question and answer of the service", async () => {
    const { service, remote } = await startServer();

    expect(await remote.status()).toEqual(await service.status());
    expect(await remote.sync({ backfillDays: "all", dryRun: true, project: "/p" })).toMatchObject({
      records: 40,
    });
    expect(await remote.sync({ backfillDays: 7 })).toMatchObject({ v: 1 });
    expect(await remote.memories({ project: "/a b/ü&c", name: "x" })).toMatchObject({ v: 1 });
    expect(await remote.memories({ all: true })).toMatchObject({ v: 1 });
    expect(
      await remote.remember({ text: "ünï\u202e", project: "/p", type: "user", keep: true }),
    ).toMatchObject({ v: 1 });
    expect(await remote.forget({ name: "x", project: "/p", purge: false })).toMatchObject({ v: 1 });

    expect(service.asked.slice(2)).toEqual([
      { method: "sync", request: { backfillDays: "all", dryRun: true, project: "/p" } },
      { method: "sync", request: { backfillDays: 7 } },
      { method: "memories", request: { project: "/a b/ü&c", name: "x" } },
      { method: "memories", request: { all: true } },
      { method: "remember", request: { text: "ünï\u202e", project: "/p", type: "user", keep: true } },
      { method: "forget", request: { name: "x", project: "/p", purge: false } },
    ]);
  });

  it("carries errors with code, fix and exit code", async () => {
    const refused = new AppError({
      code: "locked",
      message: "busy",
      fix: "wait",
      exitCode: EXIT.alreadyRunning,
    });
    const { remote, failures } = await startServer({ answers: { sync: () => Promise.reject(refused) } });

    await expect(remote.sync({})).rejects.toMatchObject({
      code: "locked",
      message: "busy",
      fix: "wait",
      exitCode: 4,
    });
    expect(failures).toEqual([]);
  });

  it("answers 500 to a bug of ours and tells the log", async () => {
    const bug = new TypeError("x is undefined");
    const { socketPath, failures } = await startServer({ answers: { status: () => Promise.reject(bug) } });

    const answer = await say(socketPath, request("GET /v1/status"));

    expect(answer.status).toBe(500);
    expect(errorOf(answer).code).toBe("internal");
    expect(failures).toEqual([bug]);
  });

  it("sends no control character, whatever a memory holds", async () => {
    const { socketPath } = await startServer({
      answers: {
        memories: () =>
          Promise.resolve({
            v: 1,
            memories: [],
            notMemories: [{ file: "\u001b]0;x\u0007\u009b\u202e\u2028", project: "/p", why: "link" }],
          }),
      },
    });

    const { body } = await say(socketPath, request("GET /v1/memories?all=true"));

    // oxlint-disable-next-line no-control-regex
    expect(body).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/);
    expect(JSON.parse(body).notMemories[0].file).toBe("\u001b]0;x\u0007\u009b\u202e\u2028");
  });

  it.each(["engramd", "localhost", "127.0.0.1:80", "[::1]"])("accepts the host %s", async (host) => {
    const { socketPath } = await startServer();

    expect((await say(socketPath, request("GET /v1/status", { host }))).status).toBe(200);
  });

  it.each(["evil.example", "engramd.evil.example", "", "engramd@evil"])(
    "refuses the host %j",
    async (host) => {
      const { socketPath, service } = await startServer();

      const answer = await say(socketPath, request("GET /v1/status", { host }));

      expect(answer.status).toBe(403);
      expect(service.asked).toEqual([]);
    },
  );

  it("lists its routes to whoever misses them", async () => {
    const { socketPath } = await startServer();

    const missing = await say(socketPath, request("GET /v1/nothing"));
    const wrong = await say(socketPath, request("GET /v1/sync"));

    expect([missing.status, wrong.status]).toEqual([404, 405]);
    expect(errorOf(missing).fix).toContain("GET /v1/status, ");
    expect(errorOf(wrong).fix).toContain("POST /v1/sync");
  });

  it.each([
    ["POST /v1/remember", "{", "no JSON"],
    ["POST /v1/remember", "[]", "no JSON object"],
    ["POST /v1/remember", '{"text":"x"}', "project is missing"],
    ["POST /v1/remember", '{"text":"  ","project":"/p"}', "text has to be text of at most 20000"],
    ["POST /v1/remember", '{"text":1,"project":"/p"}', "text has to be text"],
    ["POST /v1/remember", '{"text":"x","project":"p"}', "project has to be an absolute path"],
    ["POST /v1/remember", '{"text":"x","project":"/p","type":"joke"}', "type has to be one of user"],
    ["POST /v1/remember", '{"text":"x","project":"/p","kepp":true}', "kepp is not a field"],
    [
      "POST /v1/remember",
      '{"text":"x","project":"/p","__proto__":{"keep":true}}',
      "__proto__ is not a field",
    ],
    [
      "POST /v1/sync",
      '{"backfillDays":-1}',
      'backfillDays has to be a whole number from 0 to 36500 or "all"',
    ],
    ["POST /v1/sync", '{"backfillDays":"7"}', "backfillDays has to be"],
    ["POST /v1/sync", '{"dryRun":"maybe"}', "dryRun has to be true or false"],
    ["POST /v1/sync", '{"dryRun":"true"}', "dryRun has to be true or false"],
    ["POST /v1/pause", '{"forMs":59999}', "forMs has to be a whole number from 60000"],
    ["POST /v1/forget", '{"project":"/p"}', "name is missing"],
    ["GET /v1/memories?all=yes", "", "all has to be true or false"],
    ["GET /v1/memories?all=true&all=false", "", "a field is given twice"],
    ["GET /v1/memories?all=true&constructor=1", "", "constructor is not a field"],
    ["GET /v1/memories", "", "project is missing"],
    ["GET /v1/status?x=1", "", "x is not a field"],
  ])("%s with %s is answered 400", async (line, body, message) => {
    const { socketPath, service } = await startServer();

    const answer = await say(socketPath, request(line, { body }));

    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
    expect(service.asked).toEqual([]);
  });

  it("refuses deep nesting before it is parsed", async () => {
    const { socketPath } = await startServer();
    const body = `{"text":${"[".repeat(400_000)}`;

    const answer = await say(socketPath, request("POST /v1/remember", { body }));

    expect(errorOf(answer).message).toContain("nested too deep");
  });
});

describe("a hostile client (fault 113)", () => {
  it("that announces a gigabyte is refused at once", async () => {
    const { socketPath, service } = await startServer();

    const answer = await say(
      socketPath,
      `POST /v1/sync HTTP/1.1\r\nHost: engramd\r\nContent-Length: 1000000000\r\n\r\n{`,
    );

    expect(answer.status).toBe(413);
    expect(service.asked).toEqual([]);
  });

  it("that sends without end and announces nothing is cut off at the bound", async () => {
    const { socketPath, service } = await startServer({ limits: { bodyBytesMax: 10_000 } });
    const head = "POST /v1/sync HTTP/1.1\r\nHost: engramd\r\nTransfer-Encoding: chunked\r\n\r\n";
    const chunk = `1000\r\n${" ".repeat(4096)}\r\n`;

    await say(socketPath, head + chunk.repeat(100));

    expect(service.asked).toEqual([]);
  });

  it("that sends half a head is closed by the clock", async () => {
    const { socketPath } = await startServer({ limits: { headersMs: 100, requestMs: 200 } });

    const answer = await say(socketPath, "GET /v1/st");

    expect(answer.status).toBe(408);
  });

  it("that sends half a body is closed by the clock", async () => {
    const { socketPath, service } = await startServer({ limits: { headersMs: 100, requestMs: 200 } });

    await say(socketPath, `POST /v1/sync HTTP/1.1\r\nHost: engramd\r\nContent-Length: 50\r\n\r\n{"dry`);

    expect(service.asked).toEqual([]);
  });

  it("that sends nothing is closed by the clock", async () => {
    const { socketPath } = await startServer({ limits: { headersMs: 100, requestMs: 200 } });

    expect(await say(socketPath, "")).toMatchObject({ body: "" });
  });

  it("that asks again before it was answered still gets a slow answer", async () => {
    const fake = createFakeService();
    const { socketPath } = await startServer({
      limits: { headersMs: 50, requestMs: 100 },
      answers: {
        async sync(request) {
          await wait(clock, 400);
          return fake.sync(request);
        },
      },
    });

    const both = "GET /v1/status HTTP/1.1\r\nHost: engramd\r\n\r\n" + request("POST /v1/sync");
    const { all } = await say(socketPath, both);

    expect(all).toContain('"state":"idle"');
    expect(all).toContain('"records":40');
  });

  it("that sends no HTTP is told so", async () => {
    const { socketPath } = await startServer();

    expect((await say(socketPath, Buffer.from([0x16, 0x03, 0x01, 0, 0, 13, 10, 13, 10]))).status).toBe(400);
  });

  it("that sends an endless head is cut off", async () => {
    const { socketPath } = await startServer();

    expect(
      (await say(socketPath, `GET /v1/status HTTP/1.1\r\nX: ${"y".repeat(100_000)}\r\n\r\n`)).status,
    ).toBe(431);
  });

  it("with 500 idle connections keeps nobody else out (fault 114)", async () => {
    const { socketPath, remote } = await startServer();
    const idle = [];
    for (let count = 0; count < 500; count++) idle.push(await openIdle(socketPath));

    const answers = await Promise.all(Array.from({ length: 20 }, () => remote.status()));

    expect(answers).toHaveLength(20);
    expect(idle.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(SOCKET_LIMITS.clientsMax);
  });

  it("does not push out a client that is being answered", async () => {
    let finish: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (finish = resolve));
    let answer: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (answer = resolve));
    const fake = createFakeService();
    const { socketPath, remote } = await startServer({
      limits: { clientsMax: 2 },
      answers: {
        async sync(request) {
          finish();
          await gate;
          return fake.sync(request);
        },
      },
    });
    const running = remote.sync({});
    await started;
    for (let count = 0; count < 10; count++) await openIdle(socketPath);

    answer();

    expect(await running).toMatchObject({ v: 1 });
  });
});

describe("stopping the control socket", () => {
  it("removes the socket and lets a running answer finish", async () => {
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    let answer: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (answer = resolve));
    const fake = createFakeService();
    const { server, remote, socketPath } = await startServer({
      answers: {
        async sync(request) {
          begun();
          await gate;
          return fake.sync(request);
        },
      },
    });
    const running = remote.sync({});
    await started;

    const stopped = server.stop({ withinMs: 10_000 });
    expect(lstatSync(socketPath, { throwIfNoEntry: false })).toBeUndefined();
    answer();

    expect(await running).toMatchObject({ v: 1 });
    await stopped;
    await server.stop({ withinMs: 0 });
  });

  it("does not wait longer than it was told to", async () => {
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const { server, remote } = await startServer({
      answers: {
        sync() {
          begun();
          return new Promise(() => undefined);
        },
      },
    });
    const running = remote.sync({}).catch((error: unknown) => error);
    await started;

    await server.stop({ withinMs: 20 });

    expect(await running).toMatchObject({ code: "daemon-went-away" });
  });

  it("does not wait for idle clients", async () => {
    const { server, socketPath } = await startServer();
    await openIdle(socketPath);

    await server.stop({ withinMs: 60_000 });
  });
});
