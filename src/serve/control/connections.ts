// Keeps the number of open connections bounded without locking anybody out: who is idle longest has to go.

/** What is needed of a socket. */
export interface Connection {
  destroy(): unknown;
  once(event: "close", fn: () => void): unknown;
}

export interface Connections {
  add(socket: Connection): void;
  /** One more of its questions is being answered: it is not idle. */
  busy(socket: Connection): void;
  /** One of these answers is complete. */
  idle(socket: Connection): void;
  closeIdle(): void;
  closeAll(): void;
}

export function createConnections(max: number): Connections {
  // Insertion order is age: a connection that was answered moves to the end.
  const open = new Map<Connection, number>();

  function makeRoom(): boolean {
    if (open.size < max) return true;
    for (const [socket, answers] of open) {
      if (answers > 0) continue;
      open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  function move(socket: Connection, by: 1 | -1): void {
    const answers = open.get(socket);
    if (answers === undefined) return;
    open.delete(socket);
    open.set(socket, Math.max(0, answers + by));
  }

  return {
    add(socket) {
      if (!makeRoom()) return void socket.destroy();
      open.set(socket, 0);
      socket.once("close", () => open.delete(socket));
    },
    busy: (socket) => move(socket, 1),
    idle: (socket) => move(socket, -1),
    closeIdle() {
      for (const [socket, answers] of open) if (answers === 0) socket.destroy();
    },
    closeAll() {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}
