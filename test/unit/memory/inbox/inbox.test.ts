import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { MemoryChange } from "../../../../src/domain/changes.ts";
import { INBOX_LIMITS } from "../../../../src/domain/limits.ts";
import { createInbox } from "../../../../src/memory/inbox/inbox.ts";
import { evidenceIn, type Offered } from "../../../../src/memory/inbox/items.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { create, quote } from "../gate/proposals.ts";

const DAY_MS = 86_400_000;

function scene() {
  const folder = createTempFolder();
  const clock = createManualClock({ startAt: Date.UTC(2026, 4, 5) });
  const inbox = createInbox({ files: createFiles(), stateDir: folder.path, clock });
  return { folder, clock, inbox, file: folder.at("inbox/p.jsonl") };
}

function said(text: string, session = "s1", recordId = `${text} ${session}`): MemoryChange {
  return create(text, [quote(text, { recordId, session: { agent: "codex", id: session, projectId: "p" } })]);
}

function candidate(text: string, session?: string): Offered {
  return { kind: "candidate", producer: "offline", cue: "choice", changes: [said(text, session)] };
}

function proposal(...changes: readonly MemoryChange[]): Offered {
  return { kind: "proposal", producer: "model", changes };
}

describe("an item", () => {
  it("waits once however often it is said; its words are added", () => {
    const { inbox } = scene();

    expect(inbox.put("p", [candidate("use tabs here")])).toBe(1);
    const [first] = inbox.list("p");
    expect(inbox.put("p", [candidate("Use TABS here!", "s2")])).toBe(0);

    const [item] = inbox.list("p");
    expect(item?.id).toBe(first?.id);
    expect(evidenceIn(item ?? { changes: [] }).map(({ session }) => session.id)).toEqual(["s1", "s2"]);
    expect(inbox.count("p")).toEqual({ proposals: 0, candidates: 1, quarantine: 0 });
    expect(inbox.count("other")).toEqual({ proposals: 0, candidates: 0, quarantine: 0 });
  });

  it("that comes again after a crash is not written again", () => {
    const { inbox, file } = scene();
    const set = proposal(said("the port is open"), said("the lease ends"));
    inbox.put("p", [set, candidate("use tabs here")]);
    const before = statSync(file).ino;

    expect(inbox.put("p", [set, candidate("use tabs here")])).toBe(0);

    expect(statSync(file).ino).toBe(before);
    expect(inbox.list("p")).toHaveLength(2);
  });

  it("never holds a secret, in whatever text", () => {
    const { inbox, folder } = scene();
    const token = `ghp_${"a1B2c3".repeat(6)}`;
    const quoted = create("the token stands in the vault", [quote(`the token is ${token}`)]);

    expect(inbox.put("p", [candidate(`token ${token} for CI`), proposal(quoted)])).toBe(0);

    expect(folder.tree()).toEqual([]);
  });

  it("survives damaged and foreign lines", () => {
    const { inbox, file } = scene();
    inbox.put("p", [candidate("use tabs here")]);
    appendFileSync(
      file,
      '{"half":\n{"v":1,"id":3}\n{"v":1,"kind":"candidate","changes":[{"op":"create"}]}\n',
    );

    expect(inbox.put("p", [candidate("port is open")])).toBe(1);
    expect(inbox.list("p")).toHaveLength(2);
  });

  it("is kept whole: a replacement that is partly known waits with what it replaces", () => {
    const { inbox } = scene();
    const gone = { op: "delete", file: "old.md", basis: "h", reason: "superseded", evidence: [] } as const;
    inbox.put("p", [proposal(said("the new rule holds"))]);

    expect(inbox.put("p", [proposal(said("the new rule holds", "s2"), gone)])).toBe(1);

    expect(
      inbox
        .list("p")
        .at(-1)
        ?.changes.map(({ op }) => op),
    ).toEqual(["create", "delete"]);
  });

  it("is no candidate any more once it is proposed, and keeps the candidate's words", () => {
    const { inbox } = scene();
    inbox.put("p", [candidate("use tabs here", "s1")]);

    inbox.put("p", [proposal(said("use tabs here", "s2"))]);

    const [item, ...others] = inbox.list("p");
    expect(others).toEqual([]);
    expect(item?.kind).toBe("proposal");
    expect(evidenceIn(item ?? { changes: [] })).toHaveLength(2);
    expect(inbox.put("p", [candidate("use tabs here", "s3")])).toBe(0);
  });
});

describe("the inbox", () => {
  it("lets go of what nobody decided about, counted from the last words", async () => {
    const { inbox, clock } = scene();
    inbox.put("p", [candidate("use tabs here"), proposal(said("the port is open"))]);
    await clock.advance(29 * DAY_MS);
    inbox.put("p", [proposal(said("the port is open", "s2"))]);
    await clock.advance(2 * DAY_MS);
    expect(inbox.count("p")).toMatchObject({ proposals: 1, candidates: 1 });

    await clock.advance(INBOX_LIMITS.proposalMs);
    expect(inbox.count("p")).toMatchObject({ proposals: 0, candidates: 1 });
    await clock.advance(INBOX_LIMITS.candidateMs);

    expect(inbox.list("p")).toEqual([]);
    expect(inbox.losses("p")).toEqual({ expired: 2, dropped: 0 });
    inbox.put("p", [candidate("a new remark")]);
    expect(inbox.losses("p")).toEqual({ expired: 2, dropped: 0 });
  });

  it("keeps the newest within its bounds and counts the others", () => {
    const { inbox, file } = scene();
    const many = Array.from({ length: INBOX_LIMITS.proposalsMax + 3 }, (_, at) =>
      proposal(said(`port ${at} is open`)),
    );

    inbox.put("p", many);

    expect(inbox.count("p").proposals).toBe(INBOX_LIMITS.proposalsMax);
    expect(inbox.list("p").at(-1)?.changes[0]).toMatchObject({
      memory: { body: `port ${many.length - 1} is open` },
    });
    expect(inbox.losses("p")).toEqual({ expired: 0, dropped: 3 });
    const long = (at: number) => `word${at} `.repeat(3_000);
    inbox.put(
      "p",
      Array.from({ length: 250 }, (_, at) => candidate(`statement ${at} ${long(at)}`)),
    );
    expect(readFileSync(file).length).toBeLessThan(INBOX_LIMITS.bytesMax * 1.01);
  });

  it("forgets a session: what rests on nothing else goes, the rest loses its words", () => {
    const { inbox } = scene();
    inbox.put("p", [candidate("use tabs here", "s1"), candidate("the port is open", "s1")]);
    inbox.put("p", [candidate("use tabs here", "s2")]);

    expect(inbox.forgetSession("p", "s1")).toBe(2);
    expect(inbox.forgetSession("p", "s1")).toBe(0);

    expect(
      inbox.list("p").map(({ changes }) => changes[0]?.evidence.map(({ session }) => session.id)),
    ).toEqual([["s2"]]);
  });

  it("is purged of what is meant, and of lines nobody can read", () => {
    const { inbox, file } = scene();
    inbox.put("p", [candidate("the lease ends in May"), candidate("use tabs here")]);
    appendFileSync(file, '{"half": "a lease\n');

    expect(inbox.purge("p", ({ changes }) => JSON.stringify(changes).includes("lease"))).toBe(1);
    expect(inbox.purge("other", () => true)).toBe(0);

    expect(inbox.list("p")).toHaveLength(1);
    expect(readFileSync(file, "utf8")).not.toContain("lease");
  });

  it("asks nobody any more about what a memory says now", () => {
    const { inbox } = scene();
    inbox.put("p", [candidate("use tabs here"), proposal(said("the port is open"), said("the lease ends"))]);

    inbox.settle("p", [create("Use tabs here!").memory, create("the port is open").memory]);

    expect(inbox.list("p").map(({ kind }) => kind)).toEqual(["proposal"]);
    inbox.remove("p", new Set(inbox.list("p").map(({ id }) => id)));
    expect(inbox.list("p")).toEqual([]);
  });

  it("writes nothing where nothing changes", () => {
    const { inbox, file } = scene();

    inbox.put("p", []);
    inbox.settle("p", []);
    inbox.forgetSession("p", "s");
    inbox.remove("p", new Set(["x"]));

    expect(existsSync(file)).toBe(false);
  });
});
