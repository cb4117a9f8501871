// Listens to what the daemon tells at `GET /v1/events`, for a person who waits. Whatever goes wrong ends the listening and
// nothing else: what a command is about is asked elsewhere. What comes is not trusted: parsed, bounded, never shown as is.
import { connect } from "node:net";
import { dirname } from "node:path";
import { parseJson } from "../../domain/json.ts";
import type { Files } from "../../system/files.ts";
import { whyNotPrivate } from "../../system/private-folder.ts";
import type { DaemonAddress } from "./daemon-file.ts";

/** `data` is whatever JSON it was. */
export type Hear = (name: string, data: unknown) => void;

/** An event has some hundred bytes, the longest one a list of 100 files. */
const LINE_CHARS_MAX = 65_536;

/** HTTP/1.0: the answer comes without chunks around it. */
const REQUEST = "GET /v1/events HTTP/1.0\r\nHost: engramd\r\n\r\n";

/** Answers what ends the listening. */
export function followEvents(
  { address, files }: { readonly address: DaemonAddress; readonly files: Files },
  hear: Hear,
): () => void {
  const [path] = address.sockets.filter(
    (socket) => files.look(socket)?.kind === "other" && whyNotPrivate(files, dirname(socket)) === undefined,
  );
  if (path === undefined) return () => undefined;
  const socket = connect(path);
  const end = () => void socket.destroy();
  const push = createLineReader(hear);
  socket.setEncoding("utf8");
  socket.once("connect", () => socket.write(REQUEST));
  socket.on("data", (text) => {
    if (!push(String(text))) end();
  });
  socket.once("error", end);
  socket.once("end", end);
  return end;
}

/** Takes the text as it comes; false once it is nothing of ours. Lines of the head are no fields and are passed over. */
function createLineReader(hear: Hear): (text: string) => boolean {
  let rest = "";
  let name = "";
  return (text) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) name = line.slice("event: ".length);
      if (line.startsWith("data: ")) hear(name, parseJson(line.slice("data: ".length)));
    }
    return rest.length <= LINE_CHARS_MAX;
  };
}
