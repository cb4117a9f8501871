// The version that asks and the version that answers, which differ between an update and the restart that ends it.
// Nothing is restarted for it: work in hand goes on until a person says so.
import type { Status } from "../../domain/status.ts";
import { VERSION } from "../../domain/version.ts";

/** The daemon's status with the asking version and what to do, where the two differ. */
export function withOwnVersion(status: Status, own: string = VERSION): Status {
  if (status.version === own) return status;
  const warning = {
    code: "restart-needed",
    message: `engramd ${own} is installed and ${status.version} still runs: restart to finish the update`,
    fix: "engramd restart",
  };
  const others = status.warnings.filter(({ code }) => code !== warning.code);
  return { ...status, clientVersion: own, warnings: [warning, ...others] };
}
