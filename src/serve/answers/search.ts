// `search`: the memories that fit some words, best first, straight from the files. Writes nothing, keeps no index.
import { AppError, EXIT } from "../../domain/errors.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { MemoriesRequest, MemoryList } from "../../domain/service.ts";
import { lastStated } from "../../memory/files/freshness.ts";
import type { MemoriesDeps } from "./memories.ts";
import { foldersOf, itemOf } from "./memories.ts";
import { hasTerms, rankMemories } from "./rank.ts";

/** Memories one search answers; whoever needs more has asked too little. */
const FOUND_MAX = 50;

export type SearchRequest = MemoriesRequest & { readonly words: string };

export function answerSearch(request: SearchRequest, deps: MemoriesDeps): MemoryList {
  const { words } = request;
  if (!hasTerms(words) || words.length > MEMORY_LIMITS.queryCharsMax) throw badWords();
  const zone = deps.clock.timeZone();
  const notMemories: { file: string; project: string; why: string }[] = [];
  const items = foldersOf(request, deps)
    .flatMap(({ memoryDir, project }) => {
      const view = request.all === true ? deps.views.oneOfMany(memoryDir) : deps.views.view(memoryDir);
      if (view === undefined) return [];
      if (!("unreadable" in view))
        return view.memories.map((memory) => ({ memory, project, stated: lastStated(memory, zone) }));
      notMemories.push({ file: memoryDir, project, why: `it cannot be read (${view.unreadable})` });
      return [];
    })
    // Of two that fit equally well the newer one comes first.
    .toSorted((a, b) => b.stated.localeCompare(a.stated));
  const ranked = rankMemories(items, words);
  return {
    v: 1,
    memories: ranked.slice(0, FOUND_MAX).map(({ item: { memory, project }, score, matches }) => ({
      ...itemOf(memory, { project, withBody: false, deps }),
      score: Math.round(score * 1_000) / 1_000,
      matches,
    })),
    more: Math.max(0, ranked.length - FOUND_MAX),
    notMemories,
  };
}

function badWords(): AppError {
  return new AppError({
    code: "bad-words",
    message: "there are no words to search for, or too many",
    fix: `give at least one word and at most ${MEMORY_LIMITS.queryCharsMax} characters`,
    exitCode: EXIT.usage,
  });
}
