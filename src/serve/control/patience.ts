// How long a client may take to send its question: one timer a connection, and none where nobody is connected. Node's
// own check wakes every second for ever. Never ends a connection that is being answered.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../system/clock.ts";

export interface PatienceDeps {
  readonly clock: Clock;
  /** For a head, from the connection or the last answer on. */
  readonly headersMs: number;
  /** For the rest of a question, from its head on. */
  readonly requestMs: number;
}

const TOO_SLOW = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";

/** Closes connections of `server` that are over their time. */
export function limitPatience(server: Server, { clock, headersMs, requestMs }: PatienceDeps): void {
  const timers = new Map<Socket, Timer>();
  /** Questions that are not answered. */
  const asked = new WeakMap<Socket, number>();
  const expect = (socket: Socket, ms: number, isDone: () => boolean) => {
    timers.get(socket)?.cancel();
    const bytesBefore = socket.bytesRead;
    const giveUp = () => {
      if (isDone()) return;
      // Who has sent nothing has asked nothing, and would take a late answer for one to its next question.
      if (socket.bytesRead > bytesBefore) socket.end(TOO_SLOW);
      socket.destroySoon();
    };
    timers.set(socket, clock.setTimer(ms, giveUp));
  };
  const expectHead = (socket: Socket) => expect(socket, headersMs, () => false);
  server.on("connection", (socket) => {
    expectHead(socket);
    socket.once("close", () => {
      timers.get(socket)?.cancel();
      timers.delete(socket);
    });
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // A client may ask the next thing before it has its answer.
    asked.set(socket, (asked.get(socket) ?? 0) + 1);
    expect(socket, requestMs, () => request.complete);
    response.once("close", () => {
      const left = (asked.get(socket) ?? 1) - 1;
      asked.set(socket, left);
      if (left === 0 && !socket.destroyed) expectHead(socket);
    });
  });
}
