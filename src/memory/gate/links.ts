// Links between memories: `[[name]]` of a memory of the folder says nothing by itself. Pure.
import type { ProposalFacts } from "./facts.ts";

const LINK = /\[\[([^\]\n]{1,100})\]\]|\]\(([^)\s]{1,100}\.md)\)/gu;
/** A link with the words that only announce it. */
const POINTER =
  /\(?(?:\b(?:see(?: also)?|related(?: to)?|cf\.|siehe(?: auch)?|véase(?: también)?|ver(?: también)?)|参见|另见|见|参照|関連)?[ :：]{0,2}\[\[([^\]\n]{1,100})\]\]\)?/giu;

/** Links to what the folder holds stay brackets, so that what stands around them does not become one word. */
export function withoutKnownLinks(text: string, facts: Pick<ProposalFacts, "memories">): string {
  const known = namesIn(facts);
  return text.replace(LINK, (link, name: unknown, file: unknown) =>
    [name, file].some((target) => typeof target === "string" && known.has(target)) ? "]" : link,
  );
}

/** The same without "see" and its like. */
export function withoutPointers(text: string, facts: Pick<ProposalFacts, "memories">): string {
  const known = namesIn(facts);
  return text.replace(POINTER, (pointer, name: string) => (known.has(name) ? "" : pointer));
}

function namesIn({ memories }: Pick<ProposalFacts, "memories">): ReadonlySet<string> {
  return new Set(memories.flatMap(({ name, file }) => [name ?? file, file]));
}
