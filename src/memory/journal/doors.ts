// What the writer offers beside commits and undos: words that stay away, purges, daily logs.
import { createLogWriter, type LogWriter } from "./log-writer.ts";
import type { Parts } from "./parts.ts";
import { createPurgeDoor, type PurgeDoor } from "./purge-door.ts";
import { createWordRefuser, type WordRefuser } from "./refuse.ts";

export interface SideDoors extends WordRefuser, PurgeDoor, LogWriter {}

export function createSideDoors(parts: Parts): SideDoors {
  return { ...createWordRefuser(parts), ...createPurgeDoor(parts), ...createLogWriter(parts) };
}
