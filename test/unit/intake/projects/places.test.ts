// Which projects keep their memory in a folder, over real folders and settings files.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { completeConfig, type Config } from "../../../../src/config/schema.ts";
import type { ProjectRef } from "../../../../src/domain/sessions.ts";
import { createMemoryFolders } from "../../../../src/intake/projects/memory-folder.ts";
import { createPlaces, type Places } from "../../../../src/intake/projects/places.ts";
import { createManualClock, type ManualClock } from "../../../helpers/manual-clock.ts";
import { claudeSession, createFixture, type Fixture } from "./fixture.ts";

let fixture: Fixture;
let clock: ManualClock;
let places: Places;
let shop: ProjectRef;
let bakery: ProjectRef;
let asked: ProjectRef[] = [];
let modes: Config["projects"];

beforeEach(() => {
  modes = {};
  fixture = createFixture();
  clock = createManualClock();
  const projects = fixture.open();
  const { files, home, claudeHome, scratch } = fixture;
  const folders = createMemoryFolders({
    files,
    paths: { home, dataDir: scratch.at("data") },
    claudeHomes: [claudeHome],
    env: {},
    register: projects.register,
    managedSettings: scratch.at("managed.json"),
  });
  places = createPlaces({
    projects,
    folders: {
      ...folders,
      folderFor(project) {
        asked.push(project);
        return folders.folderFor(project);
      },
    },
    env: {},
    clock,
    home,
    ownFolders: [scratch.at("state")],
    config: () => ({ ...completeConfig({}), projects: modes }),
  });
  [shop, bakery] = ["shop", "bakery"].map((name) =>
    claudeSession(projects, { cwd: scratch.folder(`home/${name}`), agentHome: claudeHome }),
  ) as [ProjectRef, ProjectRef];
  asked = [];
});

/** Memory of a project is kept in this folder from now on; undefined: where it was at first. */
function keepIn(project: ProjectRef, folder: string | undefined): void {
  const path = join(project.root, ".claude/settings.local.json");
  mkdirSync(dirname(path), { recursive: true });
  if (folder === undefined) rmSync(path);
  else writeFileSync(path, JSON.stringify({ autoMemoryDirectory: folder }));
}

const folderOf = (project: ProjectRef) => places.folderOf(project) ?? "none";
const idsAt = (folder: string) => places.projectsAt(folder).map(({ id }) => id);

describe("the projects of a folder", () => {
  it("are found without asking again those that live elsewhere", async () => {
    const folder = folderOf(shop);
    expect(idsAt(folder)).toEqual([shop.id]);
    asked = [];

    await clock.advance(1_000);

    expect(idsAt(folder)).toEqual([shop.id]);
    expect(asked.map(({ id }) => id)).toEqual([shop.id]);
  });

  it("include one that moved in, as soon as its own place is asked for or a sweep begins", async () => {
    const folder = folderOf(shop);
    folderOf(bakery);
    keepIn(bakery, folder);
    await clock.advance(1_000);
    expect(idsAt(folder)).toEqual([shop.id]);

    const itsOwn = folderOf(bakery);

    expect(itsOwn).toBe(folder);
    expect(idsAt(folder).toSorted()).toEqual([shop.id, bakery.id].toSorted());
    keepIn(bakery, undefined);
    await clock.advance(1_000);
    expect(idsAt(folder)).toEqual([shop.id]);
    keepIn(bakery, folder);

    places.recheck();

    expect(idsAt(folder).toSorted()).toEqual([shop.id, bakery.id].toSorted());
  });
});

describe("a memory folder made after its place was asked for", () => {
  it("is known by its real path once the register is saved, so that a link put in its place later is not followed", () => {
    const first = places.placeOf(shop).memoryDir;
    mkdirSync(first, { recursive: true });
    places.save();
    const elsewhere = fixture.scratch.folder("elsewhere");
    rmSync(first, { recursive: true });
    symlinkSync(elsewhere, first);
    places.recheck();
    const { memoryDir, parked } = places.placeOf(shop);
    expect(parked).toMatch(/^it led to .+ before and now leads to /u);
    expect(memoryDir).toBe(first);
  });

  it("that is not there yet may still be made as a link", () => {
    const first = places.placeOf(shop).memoryDir;
    places.save();
    const elsewhere = fixture.scratch.folder("elsewhere");
    symlinkSync(elsewhere, first);
    places.recheck();
    expect(places.placeOf(shop)).toMatchObject({ memoryDir: elsewhere, parked: undefined });
  });
});

describe("the mode of a project", () => {
  it.each(["*", "**", "*hop", "*ho*", "*hop/", "**/shop", "~/shop", "~/s*", "~"])("is that of %j", (glob) => {
    modes = { [glob]: { mode: "off" } };

    expect(places.placeOf(shop).mode).toBe("off");
  });

  it.each(["*bakery", "~/shop/sub", "~/SHOP", "~/bakery*"])("is not that of %j", (glob) => {
    modes = { [glob]: { mode: "off" } };

    expect(places.placeOf(shop).mode).toBe("auto");
  });

  it("is that of the longest path or glob that fits", () => {
    modes = { "*": { mode: "off" }, "~/**": { mode: "propose" }, "~/shop": { mode: "read-only" } };

    expect([shop, bakery].map((project) => places.placeOf(project).mode)).toEqual(["read-only", "propose"]);
  });
});
