// Headers that cannot be read, or lack what decides whether a memory is found.
import type { Finding, FindingCode } from "../../../domain/lint.ts";
import { MEMORY_TYPES, type Memory } from "../../../domain/memories.ts";
import { finding, type LintFacts, shown } from "../facts.ts";

export function frontmatterFaults({ view }: LintFacts): readonly Finding[] {
  return view.memories.flatMap(faultsOf);
}

interface Missing {
  readonly key: "name" | "description" | "type";
  readonly code: FindingCode;
  readonly fix: string;
}

const KEYS: readonly Missing[] = [
  { key: "name", code: "missing-name", fix: "give it a short name in kebab-case" },
  { key: "description", code: "missing-description", fix: "say in one line what it is about" },
  { key: "type", code: "missing-type", fix: `give it one of ${MEMORY_TYPES.join(", ")}` },
];

function faultsOf(memory: Memory): readonly Finding[] {
  const { file, frontmatter } = memory;
  if (frontmatter === "malformed") {
    return [
      finding("broken-frontmatter", {
        file,
        line: 1,
        message: `the header of ${shown(file)} is no valid YAML between two lines of ---; mend it by hand`,
      }),
    ];
  }
  if (frontmatter === "none") {
    return [
      finding("missing-frontmatter", {
        file,
        line: 1,
        message: `${shown(file)} has no header; begin it with ---, name, description, type and ---`,
      }),
    ];
  }
  return KEYS.filter(({ key }) => memory[key] === undefined).map(({ key, code, fix }) =>
    finding(code, { file, line: 1, message: `the header of ${shown(file)} has no ${key}; ${fix}` }),
  );
}
