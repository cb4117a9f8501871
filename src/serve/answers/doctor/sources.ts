// Checks of what is read: transcript folders, transcripts about to be deleted, projects that share a memory folder or
// could have a better one, a newer state than this program knows.
import { join } from "node:path";
import { keyCollisions } from "../../../intake/projects/collisions.ts";
import { mayUse } from "../../../system/rights.ts";
import { stateFormatProblem } from "../../../system/state-format.ts";
import type { Check, DoctorFacts } from "./check.ts";
import { fail, named, ok, warn } from "./check.ts";

/** Session folders of one agent that are tried; a home has one a project. */
const FOLDERS_TRIED_MAX = 500;

export const SOURCES: Check = {
  code: "sources",
  look(facts) {
    const roots = [...new Set(facts.known.sources.map(({ root }) => root))];
    const closed = roots.flatMap((root) => closedBelow(facts, root));
    if (closed.length > 0)
      return warn(`engramd may not read ${named(closed)}`, "give yourself the right to read there");
    const damaged = facts.known.sources.filter(({ damagedLines }) => damagedLines > 0);
    const lines = damaged.reduce((sum, { damagedLines }) => sum + damagedLines, 0);
    return ok(
      `${roots.length} transcript folders can be read${lines > 0 ? `; ${lines} damaged lines were passed over` : ""}`,
    );
  },
};

function closedBelow({ files }: DoctorFacts, root: string): string[] {
  if (files.follow(root) === undefined) return [];
  if (!mayUse(root, "read") || !mayUse(root, "run")) return [root];
  return (files.names(root) ?? [])
    .slice(0, FOLDERS_TRIED_MAX)
    .map((name) => join(root, name))
    .filter(
      (path) => files.follow(path)?.kind === "folder" && !(mayUse(path, "read") && mayUse(path, "run")),
    );
}

export const EXPIRING: Check = {
  code: "expiring-transcripts",
  look({ known }) {
    const count = known.sources.reduce((sum, { expiringSessions }) => sum + expiringSessions, 0);
    return count === 0
      ? ok("no unread session is about to be deleted")
      : warn(
          `${count} unread sessions will be deleted by their agent within 7 days`,
          "engramd sync --backfill all",
        );
  },
};

export const COLLISIONS: Check = {
  code: "key-collisions",
  look({ known }) {
    const [first, ...rest] = keyCollisions(known.projects);
    if (first === undefined) return ok("no two projects share a memory folder");
    return warn(`${first.message}${rest.length > 0 ? ` (and ${rest.length} more folders)` : ""}`, first.fix);
  },
};

export const BETTER_HOME: Check = {
  code: "better-home",
  look({ known }) {
    const better = known.warnings.filter(({ code }) => code === "better_memory_home");
    const [first] = better;
    if (first === undefined) return ok("every project keeps its memory where its agent reads it");
    return warn(`${first.message}${better.length > 1 ? ` (and ${better.length - 1} more)` : ""}`, first.fix);
  },
};

export const STATE_FORMAT: Check = {
  code: "state-format",
  look(facts) {
    const problem = stateFormatProblem(facts);
    return problem === undefined
      ? ok("the state is of a format this engramd knows")
      : fail(problem.message, problem.fix ?? "run the newer engramd");
  },
};
