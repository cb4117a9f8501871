// Whether an agent keeps a daily log of its own in a memory folder, as its settings and the folder tell. Writes nothing.
import type { Places } from "../intake/projects/places.ts";
import { logModeAt } from "../memory/files/log-mode.ts";
import type { MemoryWriter } from "../memory/journal/commit.ts";
import type { Ground } from "./ground.ts";

/** Why it is believed to; undefined when none does. */
export type LogMode = (memoryDir: string) => string | undefined;

export function createLogMode(
  { files, clock }: Pick<Ground, "files" | "clock">,
  { places, writer }: { readonly places: Places; readonly writer: Pick<MemoryWriter, "ownBullets"> },
): LogMode {
  return (memoryDir) =>
    logModeAt(files, {
      memoryDir,
      now: clock.now(),
      timeZone: clock.timeZone(),
      assistant: places.projectsAt(memoryDir).some((project) => places.placeOf(project).isAssistant),
      own: () => writer.ownBullets(memoryDir),
    });
}
