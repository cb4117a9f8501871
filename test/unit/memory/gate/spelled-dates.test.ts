import { expect, it } from "vitest";
import { spelledDates } from "../../../../src/memory/gate/spelled-dates.ts";

it.each([
  ["it ends on 12 December 2031.", "2031-12-12"],
  ["it ends on December 12, 2031", "2031-12-12"],
  ["it ends on Dec. 1st, 2031", "2031-12-01"],
  ["the 3rd of March 2027", "2027-03-03"],
  ["er endet am 12. Dezember 2031", "2031-12-12"],
  ["ab dem 1. März 2027", "2027-03-01"],
  ["termina el 12 de diciembre de 2031", "2031-12-12"],
  ["desde el 1 de enero del 2027", "2027-01-01"],
  ["2031年12月12日まで", "2031-12-12"],
  ["到2031年3月1号为止", "2031-03-01"],
  ["until 12.12.2031", "2031-12-12"],
  ["until 3/4/2031", "2031-04-03"],
  ["until 3/4/2031", "2031-03-04"],
  ["until 2031/03/04", "2031-03-04"],
  ["by December 2031", "2031-12"],
  ["2031年3月に", "2031-03"],
])("%s spells out %s", (text, date) => {
  expect([...spelledDates(text)]).toContain(date);
});

it.each([
  "we decided 2031 of them",
  "on Friday",
  "on 12 December",
  "in 2031",
  "40 marches 2031",
  "13/13/2031",
])("%s spells out no date", (text) => {
  expect([...spelledDates(text)]).toEqual([]);
});
