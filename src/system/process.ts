// Questions about processes of this machine.
import { systemCode } from "../domain/errors.ts";

/** Whether a process with this id exists, even one that is not ours. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
