import { describe, expect, it } from "vitest";
import {
  diffListing,
  listingOf,
  loadListing,
  memoryContentHash,
  saveListing,
  withDropped,
} from "../../../../src/memory/files/listing.ts";
import type { FolderView } from "../../../../src/memory/files/store.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { memoryOf } from "./memory-builder.ts";

function viewOf(
  files: Record<string, string>,
  rest: Partial<FolderView> & { indexText?: string } = {},
): FolderView {
  const { indexText, ...fields } = rest;
  return {
    memories: Object.entries(files).map(([file, body]) =>
      memoryOf(file, { name: "n", description: "d", body }),
    ),
    index: { text: indexText, hash: undefined, problem: undefined },
    conflictCopies: [],
    unavailable: [],
    notMemories: [],
    bodyLines: new Map(),
    unread: 0,
    ...fields,
  };
}

const NONE = { added: [], edited: [], vanished: [], linesDroppedByPerson: [], unchanged: true };

describe("changes since the last listing", () => {
  it("are none at first sight", () => {
    expect(diffListing(undefined, viewOf({ "a.md": "x" }))).toEqual(NONE);
  });

  it("are none when nothing but bookkeeping changed", () => {
    const view = viewOf({ "a.md": "x" });
    const stamped = {
      ...view,
      memories: view.memories.map((memory) => ({ ...memory, confirmed: "2026-05-04", hash: "9" })),
    };

    expect(diffListing(listingOf(view), stamped)).toEqual(NONE);
  });

  it("name what was added, edited, vanished and taken out of the index", () => {
    const listing = listingOf(
      viewOf({ "a.md": "x", "b.md": "x", "c.md": "x" }, { indexText: "- [C](c.md)\n- [B](b.md)\n" }),
    );

    expect(
      diffListing(listing, viewOf({ "a.md": "new", "c.md": "x", "d.md": "x" }, { indexText: "" })),
    ).toEqual({
      added: ["d.md"],
      edited: ["a.md"],
      vanished: ["b.md"],
      linesDroppedByPerson: ["c.md"],
      unchanged: false,
    });
  });

  it("show a rename as one file vanished and one added with the same content", () => {
    const listing = listingOf(viewOf({ "a.md": "x" }));
    const now = viewOf({ "b.md": "x" });

    expect(diffListing(listing, now)).toMatchObject({ added: ["b.md"], vanished: ["a.md"] });
    expect(listingOf(now).files.get("b.md")?.contentHash).toBe(listing.files.get("a.md")?.contentHash);
  });

  it("do not count a file that is only not downloaded or cannot be read now", () => {
    const listing = listingOf(viewOf({ "a.md": "x", "b.md": "x" }));
    const now = viewOf({}, { unavailable: ["a.md"], notMemories: [{ file: "b.md", why: "is a link" }] });

    expect(diffListing(listing, now)).toEqual(NONE);
    expect(diffListing(listingOf(now, listing), viewOf({ "a.md": "x", "b.md": "x" }))).toEqual(NONE);
  });
});

describe("the listing", () => {
  it("keeps what the person dropped until the line is back or the file gone", () => {
    const first = withDropped(listingOf(viewOf({ "a.md": "x", "b.md": "x" })), ["a.md", "b.md", "a.md"]);
    expect(first.droppedByPerson).toEqual(["a.md", "b.md"]);

    const next = listingOf(viewOf({ "a.md": "x", "b.md": "x" }, { indexText: "- [A](a.md)\n" }), first);

    expect(next.droppedByPerson).toEqual(["b.md"]);
    expect(listingOf(viewOf({ "a.md": "x" }), next).droppedByPerson).toEqual([]);
  });

  it("survives the disk, files called __proto__ and constructor included", () => {
    const files = createFiles();
    const path = createTempFolder().at("listing.json");
    const listing = withDropped(listingOf(viewOf({ "__proto__.md": "x", __proto_: "y", constructor: "z" })), [
      "constructor",
    ]);

    saveListing(files, { path, listing });

    expect(loadListing(files, path)).toEqual(listing);
  });

  it.each(["", "{", "null", "[]", '{"v":2,"files":[]}', '{"v":1,"files":[{"file":1}]}'])(
    "is first sight again when its file holds %j",
    (content) => {
      expect(loadListing(createFiles(), createTempFolder().write("listing.json", content))).toBeUndefined();
    },
  );

  it("is undefined when there is none", () => {
    expect(loadListing(createFiles(), createTempFolder().at("listing.json"))).toBeUndefined();
  });
});

it("line ends do not make another content", () => {
  const memory = { name: "n", description: "d", type: "user" } as const;

  expect(memoryContentHash({ ...memory, body: "a\r\nb" })).toBe(
    memoryContentHash({ ...memory, body: "a\nb" }),
  );
});
