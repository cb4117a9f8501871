// What `doctor` and `config` work with, behind one door, as `service-tools.ts` is for the service.
import { explainConfig } from "../../config/explain.ts";
import { loadConfig } from "../../config/load.ts";
import { maskSecrets } from "../../memory/secrets/scanner.ts";
import { examine } from "../../serve/answers/doctor/examine.ts";
import { gatherFacts } from "../../serve/answers/doctor/facts.ts";
import { CHECKS } from "../../serve/answers/doctor/index.ts";
import { machineOf } from "./machine.ts";

export const CHECK_TOOLS = {
  CHECKS,
  examine,
  explainConfig,
  gatherFacts,
  loadConfig,
  machineOf,
  maskSecrets,
} as const;
