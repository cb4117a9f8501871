// What happened to one world, told in order, and the rules it is held against. Knows nothing of processes or files.

/** A line of a transcript that is whole on disk and states something to be kept. */
export interface Accepted {
  readonly kind: "accepted";
  readonly id: string;
  readonly path: string;
  /** Offset after the line's end. */
  readonly end: number;
}

/** One daemon, from its start to its end. */
export interface Life {
  readonly kind: "life";
  readonly end: "killed" | "stopped";
  /** Extractions finished, by memory folder. */
  readonly finished: Readonly<Record<string, number>>;
  /** Appends made while it ran, by memory folder. */
  readonly appended: Readonly<Record<string, number>>;
}

/** The disk between two lives, or at the end. */
export interface Sight {
  readonly kind: "sight";
  /** Memory files in which each statement stands. */
  readonly holders: Readonly<Record<string, readonly string[]>>;
  /** Index lines that link each memory file. */
  readonly indexed: Readonly<Record<string, number>>;
  /** How far each transcript counts as read. */
  readonly cursors: Readonly<Record<string, number>>;
  /** Finished runs that name each memory file. */
  readonly runs: Readonly<Record<string, number>>;
  /** What the disk checks found. */
  readonly wrong: readonly string[];
  /** After the last life: everything must be there. */
  readonly last: boolean;
}

export type HistoryEvent = Accepted | Life | Sight;

/** Sentences about everything that must not be; empty when the history is right. */
export function checkHistory(history: readonly HistoryEvent[]): string[] {
  const wrong: string[] = [];
  const accepted: Accepted[] = [];
  let before: Sight | undefined;
  for (const [at, event] of history.entries()) {
    const found = checkEvent(event, { accepted, before });
    wrong.push(...found.map((sentence) => `event ${at}: ${sentence}`));
    if (event.kind === "accepted") accepted.push(event);
    if (event.kind === "sight") before = event;
  }
  return wrong;
}

interface Past {
  readonly accepted: readonly Accepted[];
  readonly before: Sight | undefined;
}

function checkEvent(event: HistoryEvent, past: Past): string[] {
  if (event.kind === "accepted") return [];
  if (event.kind === "life") return checkLife(event);
  return [
    ...event.wrong,
    ...checkStatements(event, past),
    ...checkCursors(event, past),
    ...(event.last ? checkLast(event, past) : []),
  ];
}

/** What a start finds unread is read once; each append is worth one more. */
function checkLife({ finished, appended }: Life): string[] {
  return Object.entries(finished)
    .filter(([folder, count]) => count > 1 + (appended[folder] ?? 0))
    .map(([folder, count]) => `${count} runs for ${appended[folder] ?? 0} appends: ${folder}`);
}

function checkStatements({ holders, runs, cursors }: Sight, { accepted, before }: Past): string[] {
  const countOf = (id: string) => holders[id]?.length ?? 0;
  const known = new Set(accepted.map(({ id }) => id));
  return [
    ...Object.entries(holders)
      .filter(([, files]) => files.length > 1)
      .map(([id, files]) => `${id} stands in ${files.join(" and ")}`),
    ...Object.keys(holders)
      .filter((id) => !known.has(id))
      .map((id) => `${id} was never said`),
    ...Object.keys(before?.holders ?? {})
      .filter((id) => countOf(id) === 0)
      .map((id) => `${id} was a memory and is none any more`),
    ...accepted
      .filter(({ id, path, end }) => (cursors[path] ?? 0) >= end && countOf(id) === 0)
      .map(({ id, path }) => `${id} lies before the cursor of ${path} and is no memory`),
    ...Object.entries(runs)
      .filter(([, count]) => count > 1)
      .map(([file, count]) => `${count} finished runs wrote ${file}`),
  ];
}

function checkCursors({ cursors }: Sight, { before }: Past): string[] {
  return Object.entries(before?.cursors ?? {})
    .filter(([path, offset]) => (cursors[path] ?? 0) < offset)
    .map(([path, offset]) => `the cursor of ${path} went back from ${offset} to ${cursors[path] ?? 0}`);
}

function checkLast({ holders, indexed, cursors }: Sight, { accepted }: Past): string[] {
  const files = Object.values(holders).flat();
  return [
    ...accepted.filter(({ id }) => holders[id] === undefined).map(({ id }) => `${id} was lost`),
    ...files
      .filter((file) => indexed[file] !== 1)
      .map((file) => `${indexed[file] ?? 0} index lines for ${file}`),
    ...accepted
      .filter(({ path, end }) => (cursors[path] ?? 0) < end)
      .map(({ id, path }) => `${id} was never read: the cursor of ${path} is at ${cursors[path] ?? 0}`),
  ];
}
