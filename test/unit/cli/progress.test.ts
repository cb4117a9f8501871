// What a person sees while a dream or a distillation is under way, as a process. Run `npm run build` first.
import { connect, createServer } from "node:net";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { followEvents } from "../../../src/serve/client/event-feed.ts";
import { createEventStream } from "../../../src/serve/control/event-stream.ts";
import { createControlServer } from "../../../src/serve/control/server.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createEmitter } from "../../../src/system/emitter.ts";
import { createFiles } from "../../../src/system/files.ts";
import { startChild } from "../../helpers/child-process.ts";
import { builtEntry } from "../../helpers/daemon-process.ts";
import type { ScratchHome } from "../../helpers/scratch-home.ts";
import { createScratchHome } from "../../helpers/scratch-home.ts";
import { hasTerminal, onTerminal } from "../../helpers/terminal.ts";
import { createFakeService, sampleConsolidation } from "../serve/fake-service.ts";

const files = createFiles();
const DIR = "/somewhere/memory";
/** Blanks over the whole line. */
const CLEAR = /\r {10,}\r/gu;

/** A daemon's socket in this process; it tells of a dream, and of another one, before it answers. `waits`: for
 *  somebody who listens, and until `release`. */
async function startFakeDaemon(home: ScratchHome, { waits }: { readonly waits: boolean }) {
  const clock = createClock();
  const emitter = createEmitter((error) => {
    throw error;
  });
  const stream = createEventStream({ clock, emitter, state: () => "running" });
  let followed: () => void = () => undefined;
  const isFollowed = new Promise<void>((resolve) => (followed = resolve));
  let release: () => void = () => undefined;
  const isSeen = new Promise<void>((resolve) => (release = resolve));
  const events: typeof stream = {
    ...stream,
    follow(...asked) {
      stream.follow(...asked);
      followed();
    },
  };
  const advance = async (project: string) => {
    if (waits) await isFollowed;
    emitter.emit("dream:advanced", { run: "r1", dir: DIR, project: "/another", phase: "orient" });
    for (const phase of ["gather", "prune"] as const)
      emitter.emit("dream:advanced", { run: "r2", dir: DIR, project, phase });
    emitter.emit("distill:advanced", { run: "r3", dir: DIR, project, logs: 2, of: 6 });
    if (waits) await isSeen;
    return sampleConsolidation();
  };
  const service = createFakeService({
    dream: ({ project }) => advance(dirname(project)),
    distill: ({ project }) => advance(dirname(project)),
  });
  const server = createControlServer({
    service,
    events,
    socketPath: home.socket,
    files,
    clock,
    onFailure: (error) => {
      throw error;
    },
  });
  await server.start();
  onTestFinished(() => server.stop({ withinMs: 0 }));
  return { release };
}

const command = (...words: readonly string[]) => [process.execPath, builtEntry(), ...words];
const PROJECT = ["--project", "/shop/src"];

describe.skipIf(!hasTerminal)("on a terminal (needs script of util-linux)", () => {
  interface Watched {
    readonly term?: string;
    readonly when?: string;
    readonly onSeen?: () => void;
  }

  async function seen(home: ScratchHome, words: readonly string[], watched: Watched = {}) {
    const { term = "xterm", when = "never on the screen", ...rest } = watched;
    const env = { ...home.env, TERM: term, NO_COLOR: "1" };
    return onTerminal({ command: command(...words), env, when, typed: "", ...rest });
  }

  it("a dream of the daemon shows its steps in one line, which is gone afterwards", async () => {
    const home = createScratchHome();
    const { release } = await startFakeDaemon(home, { waits: true });

    const watched = { when: "4/4 prune", onSeen: release };
    const { screen, code } = await seen(home, ["dream", ...PROJECT], watched);

    expect(code).toBe(0);
    expect(screen).toContain("dream 2/4 gather: looking up what was said");
    expect(screen).toContain("dream 4/4 prune: tidying up");
    expect(screen).not.toMatch(/1\/4|logs/u);
    const clearedAt = [...screen.matchAll(CLEAR)].at(-1)?.index ?? -1;
    const answer = screen.slice(clearedAt);
    expect(clearedAt).toBeGreaterThan(screen.lastIndexOf("4/4"));
    expect(answer).toContain("engramd undo");
  });

  it("a distillation shows how many logs it has seen to", async () => {
    const home = createScratchHome();
    const { release } = await startFakeDaemon(home, { waits: true });

    const watched = { when: "2/6 logs", onSeen: release };
    const { screen } = await seen(home, ["distill", ...PROJECT], watched);

    expect(screen).toContain("distill 2/6 logs");
    expect(screen).not.toContain("prune");
  });

  it("a dream without a daemon shows them as well", async () => {
    const home = createScratchHome();
    const project = home.folder.folder("shop");
    const memory = join(home.claudeProjects, project.replaceAll(/[^A-Za-z\d]/gu, "-"), "memory");
    mkdirSync(memory, { recursive: true });
    const text = "---\nname: ports\ndescription: Which port\nmetadata:\n  type: project\n---\n\nPort 4000.\n";
    files.replace(join(memory, "ports.md"), text);

    const { screen, code } = await seen(home, ["dream", "--force", "--project", project]);

    expect(code).toBe(0);
    expect(screen).toContain("dream 4/4 prune");
  });

  it("that is dumb, and with --json, there is nothing but the answer", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home, { waits: false });

    const dumb = await seen(home, ["dream", ...PROJECT], { term: "dumb" });
    const json = await seen(home, ["dream", "--json", ...PROJECT]);

    for (const sign of ["\u001b", "4/4"]) expect(`${dumb.screen}${json.screen}`).not.toContain(sign);
    expect(JSON.parse(json.screen)).toEqual(sampleConsolidation());
  });
});

describe("in a pipe", () => {
  it("there is nothing but the answer", async () => {
    const home = createScratchHome();
    await startFakeDaemon(home, { waits: false });
    const child = startChild({
      command: process.execPath,
      args: command("dream", ...PROJECT).slice(1),
      env: home.env,
      cwd: home.home,
    });

    expect(await child.exit).toEqual({ code: 0, signal: null });
    for (const sign of ["\u001b", "prune:"]) expect(child.stdout()).not.toContain(sign);
    expect(child.stderr()).toBe("");
  });
});

describe("listening to the daemon", () => {
  /** Something at the socket that says this to whoever asks. */
  async function listen(said: readonly string[]) {
    const home = createScratchHome();
    mkdirSync(dirname(home.socket), { mode: 0o700 });
    let gone: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (gone = resolve));
    const clients: unknown[] = [];
    const server = createServer((client) => {
      clients.push(client);
      client.on("error", () => undefined).once("close", gone);
      client.once("data", () => {
        for (const text of said) client.write(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(home.socket, resolve));
    onTestFinished(() => void server.close());
    const heard: [string, unknown][] = [];
    const address = { sockets: [home.socket], pid: undefined, version: undefined };
    const end = followEvents({ address, files }, (name, data) => void heard.push([name, data]));
    onTestFinished(end);
    return { heard, left, home, clients };
  }

  it("ends when what is told never ends, and takes what is no JSON for nothing", async () => {
    const { heard, left } = await listen([
      "HTTP/1.1 200 OK\r\n\r\nid: 1\nevent: dream-advanced\ndata: {\n\nevent: x\ndata: {}\n\n",
      `data: ${"x".repeat(70_000)}`,
    ]);

    await left;

    expect(heard).toEqual([
      ["dream-advanced", undefined],
      ["x", {}],
    ]);
  });

  it("does not begin in a folder that others may write", async () => {
    const { home, clients } = await listen(["x"]);
    const address = { sockets: [home.socket], pid: undefined, version: undefined };
    /** Whoever came before it has been seen once it is answered. */
    const probe = () =>
      new Promise((resolve) => {
        const probing = connect(home.socket, () => probing.write("hello"));
        onTestFinished(() => void probing.destroy());
        probing.once("data", resolve);
      });
    await probe();
    const before = clients.length;
    chmodSync(dirname(home.socket), 0o777);

    onTestFinished(followEvents({ address, files }, () => undefined));
    await probe();

    expect(clients).toHaveLength(before + 1);
  });
});
