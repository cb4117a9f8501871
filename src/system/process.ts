// Questions about processes of this machine.
import { systemCode } from "../domain/errors.ts";

/** Whether a process with this id exists, even one that is not ours. False for what is no process id. */
export function isAlive(pid: number): boolean {
  // 0 and negative numbers would ask about whole groups.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
