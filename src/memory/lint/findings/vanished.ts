// Files, scripts and packages a memory names and the project has no more. Only where the project is on this machine.
import type { Finding, FindingCode } from "../../../domain/lint.ts";
import { type Answer, finding, linesOf, type LintFacts, type ProjectProbe, shown } from "../facts.ts";
import { type Mention, mentionsIn } from "../mentions.ts";

interface Kind {
  readonly code: FindingCode;
  ask(project: ProjectProbe, name: string): Answer;
  say(name: string): string;
}

const KINDS: Readonly<Record<Mention["kind"], Kind>> = {
  path: {
    code: "vanished-path",
    ask: (project, name) => project.hasPath(name),
    say: (name) => `${name} is not in the project`,
  },
  script: {
    code: "vanished-command",
    ask: (project, name) => project.hasScript(name),
    say: (name) => `no package.json of the project has a script ${name}`,
  },
  target: {
    code: "vanished-command",
    ask: (project, name) => project.hasTarget(name),
    say: (name) => `no Makefile of the project has a target ${name}`,
  },
  package: {
    code: "vanished-package",
    ask: (project, name) => project.hasPackage(name),
    say: (name) => `no manifest of the project names the package ${name}`,
  },
};

export function vanishedThings(facts: LintFacts): readonly Finding[] {
  const { project, view } = facts;
  if (project === undefined) return [];
  return view.memories.flatMap((memory) => {
    const told = new Set<string>();
    return linesOf(memory, facts).flatMap(({ text, line }) =>
      mentionsIn(text).flatMap(({ kind, name }) => {
        const { code, ask, say } = KINDS[kind];
        const key = `${kind} ${name}`;
        if (told.has(key) || ask(project, name) !== "no") return [];
        told.add(key);
        const message = `${say(shown(name))}; correct the memory, or say that it is gone`;
        return [finding(code, { file: memory.file, line, message })];
      }),
    );
  });
}
