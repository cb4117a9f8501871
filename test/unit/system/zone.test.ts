import { execFileSync, spawn, spawnSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleScript } from "../../helpers/bundle-script.ts";
import type { TempFolder } from "../../helpers/temp-folder.ts";
import { createKeptFolder, removeTree } from "../../helpers/temp-folder.ts";

/** Zones with all kinds of rules: none, half an hour of summer time, a date line crossed, two changes a Ramadan. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Asia/Kathmandu",
  "Africa/Casablanca",
] as const;
const INSTANTS = 2_000;
const ZONE_FILES = "/usr/share/zoneinfo";
const mayMount = may("unshare", "-Urm", "ls", `${ZONE_FILES}/Asia/Tokyo`);

function may(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    process.stdout.write("skipped: no user namespaces or zone files here, so no other zone for a process\n");
    return false;
  }
}

let folder: TempFolder;
let script = "";
beforeAll(() => {
  folder = createKeptFolder();
  script = bundleScript(`${import.meta.dirname}/zone-child.ts`, folder.path);
});
afterAll(() => removeTree(folder.path));

it.each(ZONES)("the local clock of %s is the one the system's own calendar shows", (zone) => {
  const at = fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2040, 0) });
  const instants = fc.sample(at, INSTANTS);

  const { stdout } = spawnSync(process.execPath, [script], {
    env: { TZ: zone },
    input: instants.join("\n"),
    encoding: "utf8",
  });

  const options = { timeZone: zone, dateStyle: "short", timeStyle: "short" } as const;
  const format = new Intl.DateTimeFormat("sv-SE", options);
  expect(stdout.trim().split("\n")).toEqual(instants.map((instant) => format.format(instant)));
});

it.skipIf(!mayMount)("a traveller's new zone is noticed without a restart", async () => {
  const mount = `mount -t tmpfs tmpfs /etc && ln -s ${ZONE_FILES}/Europe/Berlin /etc/localtime && exec "$0" "$@"`;
  const child = spawn("unshare", ["-Urm", "sh", "-c", mount, process.execPath, script], {
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async () => {
    child.stdin.write(`${Date.UTC(2026, 6, 1, 12)}\n`);
    return (await lines.next()).value;
  };

  const before = await ask();
  const link = `/proc/${child.pid}/root/etc/localtime`;
  rmSync(link);
  symlinkSync(`${ZONE_FILES}/Asia/Tokyo`, link);
  const after = await ask();
  child.stdin.end();

  expect([before, after]).toEqual(["2026-07-01 14:00", "2026-07-01 21:00"]);
});
