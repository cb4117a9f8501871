// Keeps the number of open connections bounded without locking anybody out: who is idle longest has to go.

/** What is needed of a socket. */
export interface Connection {
  destroy(): unknown;
  once(event: "close", fn: () => void): unknown;
}

export interface Connections {
  add(socket: Connection): void;
  /** From now on this connection is being answered and is not idle. */
  busy(socket: Connection): void;
  /** Its answer is complete. */
  idle(socket: Connection): void;
  closeIdle(): void;
  closeAll(): void;
}

export function createConnections(max: number): Connections {
  // Insertion order is age: a connection that was answered moves to the end.
  const open = new Map<Connection, "idle" | "busy">();

  function makeRoom(): boolean {
    if (open.size < max) return true;
    for (const [socket, state] of open) {
      if (state !== "idle") continue;
      open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  function move(socket: Connection, state: "idle" | "busy"): void {
    if (!open.delete(socket)) return;
    open.set(socket, state);
  }

  return {
    add(socket) {
      if (!makeRoom()) return void socket.destroy();
      open.set(socket, "idle");
      socket.once("close", () => open.delete(socket));
    },
    busy: (socket) => move(socket, "busy"),
    idle: (socket) => move(socket, "idle"),
    closeIdle() {
      for (const [socket, state] of open) if (state === "idle") socket.destroy();
    },
    closeAll() {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}
