// `[[links]]` to memories that are not there.
import type { Finding } from "../../../domain/lint.ts";
import { finding, linesOf, type LintFacts, shown } from "../facts.ts";
import { linkTargets } from "../links.ts";

/** As the reader of topic files takes it; code is no link, and `[[ -f x ]]` is a shell's. */
const LINK = /\[\[(?! )([^[\]|#\n]{1,200})(?:[|#][^\]\n]{0,200})?\]\]/gu;

export function deadLinks(facts: LintFacts): readonly Finding[] {
  const { view } = facts;
  // Beyond the bound on entries nobody looked: what is linked may be there.
  if (view.unread > 0) return [];
  const targets = linkTargets(view);
  return view.memories.flatMap((memory) =>
    linesOf(memory, facts).flatMap(({ text, line }) => {
      const names = [...text.replace(/`[^`]*`/gu, " ").matchAll(LINK)].flatMap(([, name]) => name ?? []);
      return names
        .filter((name) => !name.includes("/") && targets(name).length === 0)
        .map((name) =>
          finding("dead-link", {
            file: memory.file,
            line,
            message: `[[${shown(name)}]] leads to no memory; correct the name or remove the link`,
          }),
        );
    }),
  );
}
