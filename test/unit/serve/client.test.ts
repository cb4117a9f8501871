import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "../../../src/domain/errors.ts";
import { findDaemon, removeDaemonFile, saveDaemonFile } from "../../../src/serve/client/daemon-file.ts";
import { exchange } from "../../../src/serve/client/exchange.ts";
import { readLastStatus, saveLastStatus } from "../../../src/serve/client/last-status.ts";
import { createRemoteService } from "../../../src/serve/client/remote-service.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";
import { sampleStatus } from "./fake-service.ts";

const clock = createClock();
const files = createFiles();

/** A server that says these parts, one write each, and then hangs up unless told to stay. */
async function startSpeaker(parts: readonly (string | Buffer)[], { stays = false } = {}): Promise<string> {
  const path = createTempFolder().at("s.sock");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      for (const part of parts) socket.write(part);
      if (!stays) socket.end();
    });
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return path;
}

function ask(socket: string, answerMs: number | undefined = 30_000) {
  return exchange({ socket, method: "GET", target: "/v1/status", answerMs }, clock);
}

const OK = "HTTP/1.1 200 OK\r\n";

describe("one exchange", () => {
  it.each([
    ["a length", [`${OK}Content-Length: 2\r\n\r\n{}`]],
    ["a length and an open connection", [`${OK}content-length: 2\r\n\r\n{}`], true],
    ["chunks", [`${OK}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`, "1;x=y\r\n}\r\n0\r\n\r\n"]],
    ["chunks and an open connection", [`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`], true],
    ["neither", [`HTTP/1.0 200\r\n\r\n`, "{}"]],
  ] as const)("reads an answer with %s", async (_, parts, stays?: boolean) => {
    const path = await startSpeaker(parts, { stays: stays === true });

    expect(await ask(path)).toEqual({ status: 200, text: "{}" });
  });

  it("reads any text in any chunks and any splitting of the bytes", async () => {
    const cases = fc.asyncProperty(
      fc.array(fc.string({ unit: "binary", minLength: 1 }), { maxLength: 5 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      async (texts, cuts) => {
        const chunks = texts.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join("");
        const all = Buffer.from(`${OK}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
        const edges = [
          0,
          ...cuts.map((cut) => Math.min(cut, all.length)).toSorted((a, b) => a - b),
          all.length,
        ];
        const parts = edges.slice(1).map((end, at) => all.subarray(edges[at], end));

        const path = await startSpeaker(parts);

        expect((await ask(path)).text).toBe(texts.join(""));
      },
    );
    await fc.assert(cases, { numRuns: 40 });
  });

  it.each([
    ["no HTTP", ["SSH-2.0-OpenSSH\r\n\r\n"], "bad-answer"],
    ["a bad length", [`${OK}Content-Length: -1\r\n\r\n`], "bad-answer"],
    ["a broken chunk", [`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n0\r\n\r\n`], "bad-answer"],
    ["an endless head", [`${OK}X: ${"y".repeat(40_000)}`], "bad-answer"],
    ["half a body", [`${OK}Content-Length: 10\r\n\r\n{}`], "daemon-went-away"],
    ["half the chunks", [`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nab`], "daemon-went-away"],
    ["nothing", [], "daemon-went-away"],
  ])("refuses %s", async (_, parts, code) => {
    await expect(ask(await startSpeaker(parts))).rejects.toMatchObject({ code, exitCode: EXIT.failed });
  });

  it("takes no answer beyond its bound", async () => {
    const flood = Array.from({ length: 40 }, () => Buffer.alloc(1024 * 1024, "x"));

    await expect(ask(await startSpeaker([`${OK}\r\n`, ...flood]))).rejects.toMatchObject({
      code: "bad-answer",
    });
  });

  it("waits no longer than it was told to", async () => {
    const path = await startSpeaker([OK], { stays: true });

    await expect(ask(path, 30)).rejects.toMatchObject({
      code: "daemon-silent",
      exitCode: EXIT.alreadyRunning,
    });
  });

  it("knows that nobody can listen below a file", async () => {
    const path = createTempFolder().write("file", "");

    await expect(ask(`${path}/run/s.sock`)).rejects.toMatchObject({ code: "not-running" });
  });

  it("tells that nobody listens with the exit code for it", async () => {
    const folder = createTempFolder();

    await expect(ask(folder.at("none.sock"))).rejects.toMatchObject({ code: "not-running", exitCode: 5 });
  });
});

describe("finding the daemon", () => {
  const places = () => {
    const folder = createTempFolder();
    return { folder, paths: { stateDir: folder.folder("state"), socket: folder.at("run/s.sock") } };
  };

  it("asks the socket daemon.json names, then the default one (fault 112)", () => {
    const { paths } = places();
    saveDaemonFile({ files, paths }, { pid: 7, socket: "/tmp/short/s.sock", version: "9" });

    expect(findDaemon({ files, paths })).toEqual({
      sockets: ["/tmp/short/s.sock", paths.socket],
      pid: 7,
      version: "9",
    });
  });

  it.each(["", "{", "[]", '{"pid":"x"}', '{"pid":1,"socket":"relative","version":"1"}'])(
    "falls back to the default when daemon.json is %j",
    (content) => {
      const { folder, paths } = places();
      folder.write("state/daemon.json", content);

      expect(findDaemon({ files, paths })).toEqual({
        sockets: [paths.socket],
        pid: undefined,
        version: undefined,
      });
    },
  );

  it("leaves a successor's daemon.json alone", () => {
    const { paths } = places();
    saveDaemonFile({ files, paths }, { pid: 8, socket: paths.socket, version: "1" });

    removeDaemonFile({ files, paths }, 7);
    expect(findDaemon({ files, paths }).pid).toBe(8);
    removeDaemonFile({ files, paths }, 8);
    expect(findDaemon({ files, paths }).pid).toBeUndefined();
  });

  it("goes on to the default socket when nobody listens at the named one", async () => {
    const answer = JSON.stringify(sampleStatus());
    const path = await startSpeaker([`${OK}Content-Length: ${answer.length}\r\n\r\n${answer}`]);
    const remote = createRemoteService({
      address: { sockets: ["/nonexistent/s.sock", path], pid: 1, version: "1" },
      files,
      clock,
    });

    expect(await remote.status()).toMatchObject({ state: "idle" });
  });

  it("asks nobody in a folder that others may write", async () => {
    const folder = createTempFolder();
    folder.folder("open");
    chmodSync(folder.at("open"), 0o777);
    const remote = createRemoteService({
      address: { sockets: [folder.at("open/s.sock")], pid: undefined, version: undefined },
      files,
      clock,
    });

    await expect(remote.status()).rejects.toMatchObject({ code: "socket-folder-unsafe", exitCode: 1 });
  });

  it.each(["[]", "{}", '{"v":2}', "nonsense", '{"v":1,"state":3}'])(
    "refuses the document %s",
    async (body) => {
      const path = await startSpeaker([`${OK}Content-Length: ${body.length}\r\n\r\n${body}`]);
      const remote = createRemoteService({
        address: { sockets: [path], pid: undefined, version: undefined },
        files,
        clock,
      });

      await expect(remote.status()).rejects.toMatchObject({ code: "bad-answer" });
    },
  );
});

describe("the last known status", () => {
  it("is stopped and has no pid, whatever was written", () => {
    const paths = { stateDir: createTempFolder().path };
    saveLastStatus({ files, paths }, sampleStatus({ state: "running", pid: 3 }));

    const { status, at } = readLastStatus({ files, paths });

    expect(status).toEqual(sampleStatus({ state: "stopped", pid: null }));
    expect(at).toBeGreaterThan(0);
  });

  it.each([undefined, "", "{", "{}", '{"v":1,"state":"idle","sources":3}'])(
    "is empty for a file with %j",
    (content) => {
      const folder = createTempFolder();
      if (content !== undefined) folder.write("status.json", content);

      expect(readLastStatus({ files, paths: { stateDir: folder.path } })).toMatchObject({
        status: { v: 1, state: "stopped", sources: [], projects: [] },
        at: undefined,
      });
    },
  );
});
