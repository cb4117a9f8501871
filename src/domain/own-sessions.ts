// Which sessions of an agent are engramd's own: runs of a person's own agent as a model. They must never be read as
// input, and their id says so itself: nothing has to be remembered, and another machine knows it too.

/** "engram" in ASCII codes, where a random id of version 4 begins; by chance one in 2^48 does. */
const MARK = "656e6772-616d-4";

/** Makes an id of ours out of a random UUID of version 4. */
export function ownSessionId(uuid: string): string {
  return `${MARK}${uuid.slice(MARK.length)}`;
}

export function isOwnSession(sessionId: string | undefined): boolean {
  return sessionId?.startsWith(MARK) === true;
}
