// Relative dates in five languages, counted from Tuesday, 5 May 2026, half past midnight in Berlin.
import { describe, expect, it } from "vitest";
import { absoluteDates } from "../../../../src/learn/offline/dates.ts";
import { zoneNamed } from "../../../helpers/time-zone.ts";

const said = {
  saidAt: Date.parse("2026-05-04T22:30:00Z"),
  now: Date.parse("2026-05-04T22:31:00Z"),
  timeZone: zoneNamed("Europe/Berlin"),
};

describe("absoluteDates", () => {
  const tables: readonly (readonly [string, string])[] = [
    ["The demo is today.", "The demo is 2026-05-05."],
    ["The demo is tomorrow.", "The demo is 2026-05-06."],
    ["We ship the day after tomorrow.", "We ship 2026-05-07."],
    ["We ship on Friday.", "We ship on 2026-05-08."],
    ["The freeze starts next Thursday.", "The freeze starts 2026-05-14."],
    ["Freeze from Thursday on.", "Freeze from 2026-05-07 on."],
    ["It runs until June 30.", "It runs until 2026-06-30."],
    ["It runs until 30 June.", "It runs until 2026-06-30."],
    ["Ship it by the end of the month.", "Ship it by 2026-05-31."],
    ["We use pnpm since March 3rd.", "We use pnpm since 2026-03-03."],
    ["We use pnpm since September 3.", "We use pnpm since 2025-09-03."],
    ["Wir nutzen pnpm seit dem 3. März.", "Wir nutzen pnpm seit dem 2026-03-03."],
    ["Usamos pnpm desde el 3 de marzo.", "Usamos pnpm desde el 2026-03-03."],
    ["The launch was moved to March 3.", "The launch was moved to 2027-03-03."],
    ["The branch was frozen on March 3, 2026.", "The branch was frozen on 2026-03-03."],
    ["We moved two weeks ago.", "We moved about 2026-04-21."],
    ["We moved last Friday.", "We moved 2026-05-01."],
    ["Never merge before Friday.", "Never merge before 2026-05-08."],
    ["Never ask twice. The demo is on Friday.", "Never ask twice. The demo is on 2026-05-08."],
    ["周五之前不要合并。", "2026-05-08之前不要合并。"],
    ["这周五不要部署。", "2026-05-08不要部署。"],
    ["会议在周五，不要迟到。", "会议在2026-05-08，不要迟到。"],
    ["周五有特别演示。", "2026-05-08有特别演示。"],
    ["金曜日までは絶対にマージしない。", "2026-05-08までは絶対にマージしない。"],
    ["明天上线。", "2026-05-06上线。"],
    ["下周五之前上线。", "2026-05-15之前上线。"],
    ["本周五上线。", "2026-05-08上线。"],
    ["5月20日冻结。", "2026-05-20冻结。"],
    ["月底上线。", "2026-05-31上线。"],
    ["明日リリースします。", "2026-05-06リリースします。"],
    ["来週の金曜日にリリースします。", "2026-05-15にリリースします。"],
    ["5月20日にリリースします。", "2026-05-20にリリースします。"],
    ["Die Demo ist morgen.", "Die Demo ist 2026-05-06."],
    ["Der Release ist am Freitag.", "Der Release ist am 2026-05-08."],
    ["Der Release ist am 15. Juni.", "Der Release ist am 2026-06-15."],
    ["Wir haben vor zwei Wochen angefangen.", "Wir haben etwa 2026-04-21 angefangen."],
    ["La demo es mañana.", "La demo es 2026-05-06."],
    ["La entrega es el viernes.", "La entrega es el 2026-05-08."],
    ["La entrega es el 15 de junio.", "La entrega es el 2026-06-15."],
    ["Empezamos hace dos semanas.", "Empezamos alrededor del 2026-04-21."],
  ];
  it.each(tables)("%s -> %s", async (text, expected) => {
    expect(await absoluteDates(text, said)).toBe(expected);
  });

  it.each([
    "Staging is wiped every Monday.",
    "We deploy only on Tuesdays.",
    "From today on use tabs.",
    "Use Monday as the board.",
    "It takes 10 seconds before it starts.",
    "测试库每周一凌晨重建。",
    "毎週月曜日にリセットします。",
    "Die Datenbank wird jeden Sonntag geleert.",
    "Se borra cada lunes por la noche.",
    "Never deploy on Friday.",
    "Always run the audit on Monday, before lunch.",
    "Am Freitag nie ausliefern.",
    "Nunca desplegar el viernes.",
    "周五下午不要部署。",
    "绝不在周五上线。",
    "デプロイは金曜日の夕方にはしない。",
  ])("leaves alone what names no day: %s", async (text) => {
    expect(await absoluteDates(text, said)).toBe(text);
  });

  it.each(["The branch was frozen on March 3.", "Der Zweig wurde am 3. März gesperrt."])(
    "does not guess a year for what has happened: %s",
    async (text) => {
      expect(await absoluteDates(text, said)).toBeUndefined();
    },
  );

  it("counts from the local day of the person, not from UTC", async () => {
    expect(await absoluteDates("The demo is tomorrow.", { ...said, timeZone: zoneNamed("UTC") })).toBe(
      "The demo is 2026-05-05.",
    );
    expect(
      await absoluteDates("The demo is tomorrow.", { ...said, timeZone: zoneNamed("America/Los_Angeles") }),
    ).toBe("The demo is 2026-05-05.");
  });

  it("leaves out a coming day that has passed, keeps a start that has", async () => {
    const late = { ...said, now: Date.parse("2026-05-09T10:00:00Z") };
    expect(await absoluteDates("The demo is tomorrow.", late)).toBeUndefined();
    expect(await absoluteDates("Freeze from Thursday on.", late)).toBe("Freeze from 2026-05-07 on.");
    expect(await absoluteDates("We moved two weeks ago.", late)).toBe("We moved about 2026-04-21.");
  });

  it("crosses the end of a year", async () => {
    const december = Date.parse("2026-12-30T10:00:00Z");
    const place = { saidAt: december, now: december, timeZone: zoneNamed("Europe/Berlin") };
    expect(await absoluteDates("1月15日冻结。", place)).toBe("2027-01-15冻结。");
    expect(await absoluteDates("The freeze starts next Thursday.", place)).toBe(
      "The freeze starts 2027-01-07.",
    );
  });
});
