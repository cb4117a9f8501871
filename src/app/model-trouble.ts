// What keeps the model from reading, put together for the status: a closed provider, a ceiling, a job's own failure.
// Decides nothing and asks nobody.
import type { AgentId } from "../domain/sessions.ts";
import { displayText } from "../domain/printable.ts";
import type { Status, Warning } from "../domain/status.ts";
import type { Places } from "../intake/projects/places.ts";
import type { Queue } from "../intake/queue/queue.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import { closesAt, fixOf } from "../learn/models/failure.ts";
import type { ModelFacts } from "../serve/answers/model-warnings.ts";
import { modelState, modelWarnings, providerClosed } from "../serve/answers/model-warnings.ts";
import { RESTART_NEEDED } from "../system/late-module.ts";
import type { Reading } from "./reading.ts";
import type { Work } from "./work.ts";

export interface ModelTroubleInput extends Pick<Work, "activity" | "breaker" | "budget"> {
  readonly reading: Reading;
  readonly places: Places;
  readonly queue: Queue;
  readonly catalog: Catalog;
  /** Agents whose folders exist. */
  present(): AgentId[];
}

export interface ModelTrouble {
  warnings(): Warning[];
  state(): ReturnType<typeof modelState>;
  /** Who reads, and why nobody can be asked just now. */
  provider(): Status["provider"];
}

export function createModelTrouble(input: ModelTroubleInput): ModelTrouble {
  const { reading, catalog } = input;
  return {
    warnings: () => [...modelWarnings(factsOf(input)), ...waitingForever(catalog).map(tooLongWarning)],
    state: () => modelState(factsOf(input)),
    provider() {
      const closed = providerClosed(factsOf(input));
      const known = reading.describe([...new Set(catalog.roots.map((root) => root.agent))]);
      return closed === undefined ? known : { ...known, closed };
    },
  };
}

/** Sources that are longer than the model reads, however small their pieces, and have not grown since. */
function waitingForever(catalog: Catalog): string[] {
  return [...catalog.entries()].flatMap((entry) => {
    const { tooLongAt, bytes, path } = entry.state;
    return tooLongAt === bytes && catalog.isUnread(entry) ? [path] : [];
  });
}

/** Its words wait; others are read meanwhile. */
function tooLongWarning(path: string): Warning {
  const message = `${displayText(path)} waits: it is longer than the model reads, however small its pieces`;
  return { code: "session-too-long", message, fix: "engramd sync, with a model that reads more" };
}

function factsOf({
  reading,
  activity,
  breaker,
  budget,
  places,
  queue,
  present,
}: ModelTroubleInput): ModelFacts {
  const agents = present();
  const folders = new Set(places.known().map((project) => places.placeOf(project).memoryDir));
  const errors = [...folders].flatMap((folder) => activity.of(folder).lastError ?? []);
  const closings = reading.closed(agents);
  const jobs = closings.length === 0 ? [] : queue.describe().jobs;
  const readsByModel = agents.some((agent) => reading.choiceFor(agent).kind === "model");
  return {
    // What closes a provider at once is told of once, by the gate, and is over when it opens.
    errors: errors.filter(({ code }) => closesAt(code) !== "at-once"),
    fixOf: (error) => (error.code === RESTART_NEEDED ? "engramd restart" : fixOf(error)),
    closed: closings.map((closing) => ({
      ...closing,
      jobs: jobs.filter(({ state, reason }) => state !== "dead" && reason === closing.code).length,
    })),
    exhausted: readsByModel ? budget.exhausted() : undefined,
    waiting: reading.waiting(agents),
    resting: breaker.resting(),
    unpriced: reading.unpriced(agents),
    retired: reading.retired(agents),
  };
}
