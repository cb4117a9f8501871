// Clients of the daemon's socket as people script them: plain HTTP of Node, and a listener to its events.
import { request } from "node:http";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";

export interface SocketAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function askSocket(
  socketPath: string,
  { method = "GET", path, body }: { readonly method?: string; readonly path: string; readonly body?: object },
): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path, headers: { Host: "engramd" } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export interface SocketEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventListener {
  events(): SocketEvent[];
  /** The first event, past or future, that fits; fails when the stream ends before. */
  waitFor(name: string, where?: (event: SocketEvent) => boolean): Promise<SocketEvent>;
  /** Resolves when the daemon ended the stream, or the connection broke. */
  readonly ended: Promise<void>;
  leave(): void;
}

/** Resolves once the daemon has answered; rejects with its text when that is no stream. */
export function listenToEvents(socketPath: string, lastId?: string): Promise<EventListener> {
  const headers = { Host: "engramd", ...(lastId === undefined ? {} : { "Last-Event-ID": lastId }) };
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: "/v1/events", headers }, (answer) => {
      if (answer.statusCode === 200) return resolve(listenerOf(asked, answer));
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => reject(new Error(text)));
    });
    asked.on("error", reject);
    asked.end();
    onTestFinished(() => void asked.destroy());
  });
}

function listenerOf(asked: ClientRequest, answer: IncomingMessage): EventListener {
  let text = "";
  let isOver = false;
  const checks = new Set<() => void>();
  const check = () => {
    for (const one of checks) one();
  };
  const ended = new Promise<void>((resolve) => answer.once("close", () => resolve()));
  answer.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    check();
  });
  // A stream that breaks ends, which is what is looked at.
  answer.on("error", () => undefined);
  void ended.then(() => {
    isOver = true;
    check();
  });
  const events = () => text.split("\n\n").slice(0, -1).flatMap(parseEvent);
  return {
    events,
    ended,
    leave: () => void asked.destroy(),
    waitFor: (name, where = () => true) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events().find((event) => event.name === name && where(event));
          if (found === undefined && !isOver) return;
          checks.delete(look);
          if (found === undefined) reject(new Error(`no ${name} among: ${text}`));
          else resolve(found);
        };
        checks.add(look);
        look();
      }),
  };
}

function parseEvent(block: string): SocketEvent[] {
  const field = (name: string) =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const name = field("event");
  return name === undefined ? [] : [{ id: field("id"), name, data: JSON.parse(field("data") ?? "{}") }];
}
