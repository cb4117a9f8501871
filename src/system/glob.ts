// Path globs through picomatch, the only importer of it.
import picomatch from "picomatch";

/** Whether any glob matches the absolute path; a glob without wildcard also matches everything below it. */
export function matchesAny(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => {
    const plain = glob.replace(/\/+$/, "");
    if (path === plain || path.startsWith(`${plain}/`)) return true;
    return picomatch.isMatch(path, plain, { dot: true, nonegate: true });
  });
}
