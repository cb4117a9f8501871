// `forget --purge`: takes a memory out of everything engramd keeps, not only out of its folder. What is to go is noted
// first, as hashes; `purge-finish.ts` does it. Nothing of it can be undone.
import { AppError } from "../../domain/errors.ts";
import type { ForgetReply, ForgetRequest, PurgeFacts } from "../../domain/service.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { memoriesNamed } from "../../memory/gate/person.ts";
import { textHashOf } from "../../memory/gate/text-hash.ts";
import { evidenceIn, type InboxItem, statementsIn } from "../../memory/inbox/items.ts";
import { folderIdOf, realPlace } from "../../memory/journal/folder-id.ts";
import type { PurgeIntent } from "../../memory/journal/purge-intents.ts";
import { finishPurge, forgetMeant, type PurgeParts } from "./purge-finish.ts";
import { remainsOf, sentencesSaid } from "./purge-remains.ts";
import type { PersonDeps } from "./remember.ts";

export interface PurgeDeps extends PurgeParts, Pick<PersonDeps, "projectAt"> {}

/** Throws `still-running` (retry) for a job that does not end, and what a commit throws. */
export async function answerPurge(request: ForgetRequest, deps: PurgeDeps): Promise<ForgetReply> {
  const project = deps.projectAt(request.project);
  const { memoryDir } = deps.places.placeOf(project);
  if (!(await deps.settleJobs(memoryDir))) throw stillRunning(memoryDir);
  try {
    await deps.writer.upkeep(memoryDir, project);
    const meant = await whatIsMeant(request.name, { project, memoryDir, deps });
    if (meant.length !== 1) return unclear(request.name, meant);
    const intent = await intentFor(meant[0], { project, memoryDir, deps });
    const said = sentencesSaid(intent, { memoryDir, trail: deps.writer.trail(memoryDir), views: deps.views });
    deps.writer.purges.save(intent);
    const refused = await forgetMeant(intent, project, deps);
    if (refused !== undefined) {
      deps.writer.purges.done(intent);
      return { v: 1, outcome: "refused", file: nameOf(meant[0]), message: refused, matches: [] };
    }
    const removed = await finishPurge(intent, deps);
    const remains = remainsOf(intent, { said, deps });
    return purgedReply(nameOf(meant[0]), { asked: request.name, purged: { removed, remains } });
  } finally {
    deps.readLater(memoryDir);
  }
}

/** A file there is or was, or what waits in the inbox. */
type Meant = { readonly file: string } | { readonly item: InboxItem };

interface Place {
  readonly project: ProjectRef;
  readonly memoryDir: string;
  readonly deps: PurgeParts;
}

async function whatIsMeant(name: string, { project, memoryDir, deps }: Place): Promise<Meant[]> {
  const live = memoriesNamed(deps.views.view(memoryDir)?.memories ?? [], name);
  if (live.length > 0) return live.map(({ file }) => ({ file }));
  const steps = await deps.writer.purging();
  const past = await steps.pastFilesNamed(name, memoryDir);
  if (past.length > 0) return past.map((file) => ({ file }));
  return deps.inbox
    .list(project.id)
    .filter((item) => item.id === name || statementsIn(item).some((memory) => memory.name === name))
    .map((item) => ({ item }));
}

function nameOf(meant: Meant | undefined): string | null {
  return meant !== undefined && "file" in meant ? meant.file : null;
}

function unclear(name: string, meant: readonly Meant[]): ForgetReply {
  const matches = meant.map((each) => ("file" in each ? each.file : each.item.id));
  const outcome = matches.length === 0 ? "not-found" : "ambiguous";
  const message =
    matches.length === 0
      ? `no memory is or was called ${name}`
      : `${name} names ${matches.length} memories: ${matches.join(", ")}`;
  return { v: 1, outcome, file: null, message, matches };
}

async function intentFor(
  meant: Meant | undefined,
  { project, memoryDir, deps }: Place,
): Promise<PurgeIntent> {
  if (meant === undefined || "file" in meant) {
    const steps = await deps.writer.purging();
    return steps.plan({ memoryDir, project, file: meant?.file ?? "" });
  }
  const texts = statementsIn(meant.item).map(textHashOf);
  const isSame = (item: InboxItem) => statementsIn(item).some((memory) => texts.includes(textHashOf(memory)));
  const evidence = [meant.item, ...deps.inbox.list(project.id).filter(isSame)].flatMap(evidenceIn);
  return {
    v: 1,
    at: deps.clock.now(),
    project: { id: project.id, root: project.root },
    memoryDir,
    folderId: folderIdOf(realPlace(deps.files, memoryDir)),
    files: [],
    called: [],
    images: [],
    texts: [...new Set(texts)],
    records: [...new Set(evidence.filter(({ by }) => by !== "memory").map(({ recordId }) => recordId))],
    sessions: [...new Set(evidence.map(({ session }) => session.id))],
    runs: [],
    basis: null,
  };
}

function purgedReply(
  file: string | null,
  { asked, purged }: { readonly asked: string; readonly purged: PurgeFacts },
): ForgetReply {
  const what = file === null ? "what waited" : file;
  const isDone = Object.values(purged.removed).every((count) => count === 0);
  const message = isDone ? `${asked} was purged already` : `purged ${what}`;
  return { v: 1, outcome: "purged", file, message, matches: [], purged };
}

function stillRunning(memoryDir: string): AppError {
  return new AppError({
    code: "still-running",
    message: `a run over ${memoryDir} does not end`,
    fix: "ask again in a moment",
    disposition: "retry",
  });
}
