// What a choice of model needs: the settings file, consent, the last days, and everybody who has to go by the choice.
// Decides nothing.
import type { AgentId } from "../domain/sessions.ts";
import type { Warning } from "../domain/status.ts";
import type { Places } from "../intake/projects/places.ts";
import { findClaude, hasClaudeLogin } from "../learn/models/claude-cli/program.ts";
import { findCodex, hasCodexLogin } from "../learn/models/codex-cli/program.ts";
import { placeOfKey } from "../learn/models/key.ts";
import type { ModelAnswersDeps } from "../serve/answers/model-use.ts";
import { foreseeWeek } from "../serve/answers/model-week.ts";
import { createForesight } from "./foresight.ts";
import type { Ground } from "./ground.ts";
import type { Reading } from "./reading.ts";
import { MODEL_JOBS } from "./reading.ts";
import type { Senses } from "./senses.ts";
import { createSettingsFile } from "./settings-file.ts";
import type { Work } from "./work.ts";

export interface ChoosingInput
  extends Pick<Senses, "catalog" | "formats">, Pick<Work, "budget" | "estimate"> {
  readonly places: Places;
  readonly reading: Reading;
  /** Agents whose folders exist. */
  present(): AgentId[];
  modelWarnings(): readonly Warning[];
  /** Jobs that run or failed go by the settings of now. */
  restartJobs(): void;
}

export function createChoosing(
  ground: Ground,
  input: ChoosingInput,
): Omit<ModelAnswersDeps, "lock" | "running"> {
  const { clock, config } = ground;
  const { reading, present, catalog, formats, places, budget, estimate } = input;
  const foresight = createForesight(ground, {
    formats,
    roots: catalog.roots,
    places,
    setAside: catalog.setAside,
  });
  const { files, paths, input: started } = ground;
  const seen = { files, env: started.env, home: paths.home, claudeHome: paths.claudeHome };
  return {
    clock,
    stop: started.stop,
    config,
    budget,
    present,
    settings: createSettingsFile(ground),
    kinds: MODEL_JOBS,
    consent: () => reading.consent(present()),
    replaceConsent: reading.replaceConsent,
    clientOf: reading.clientOf,
    logins: () => [
      ...(findClaude(seen) !== undefined && hasClaudeLogin(seen) ? (["claude-cli"] as const) : []),
      ...(findCodex(seen) !== undefined && hasCodexLogin(seen) ? (["codex-cli"] as const) : []),
    ],
    keyPlace: () => placeOfKey(config(), ground.input.env) ?? null,
    week: ({ model, isFree }) =>
      foreseeWeek(
        { reader: reading.imagined({ model, isFree }), isFree },
        { clock, ...foresight, folderOf: places.folderOf, estimate },
      ),
    modelWarnings: input.modelWarnings,
    takeUp() {
      ground.reload();
      reading.recordConsent(present());
      input.restartJobs();
    },
  };
}
