// docs/first-screen.svg: the first screen as the built program prints it over a home made up here. Prints the picture on
// standard output; `npm run build` comes first. A test holds the committed picture against a new one.
//   node .ci/terminal-picture.mjs > docs/first-screen.svg
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ENTRY = process.env["ENGRAMD_ENTRY"] ?? join(import.meta.dirname, "../dist/main.js");
const COLUMNS = 96;
const DAY_S = 86_400;
const READY_MS = 30_000;

/** Typed words of invented sessions, by working directory and age in days. */
const SESSIONS = [
  [
    "/home/ana/shop",
    0.2,
    ["Remember that we deploy from the release branch, never from main.", "Why is the cart empty?"],
  ],
  [
    "/home/ana/shop",
    1.1,
    ["From now on always run the linter before you commit.", "Show me the diff.", "Go on."],
  ],
  ["/home/ana/shop", 2.4, ["I prefer short answers without long introductions.", "Which test is slow?"]],
  ["/home/ana/shop", 5.5, ["Remember that integration tests need a real database.", "Try it again, please."]],
  [
    "/home/ana/notes",
    0.5,
    ["Remember that the weekly summary goes out on Fridays.", "Shorten the second part."],
  ],
  ["/home/ana/notes", 3.2, ["Rename the chapters.", "Now sort them.", "Thanks."]],
  ["/home/ana/notes", 12.0, ["Draft an outline for the garden article."]],
  ["/home/ana/parser", 1.9, ["The grammar must stay free of left recursion.", "Why does this loop?"]],
  ["/home/ana/parser", 6.1, ["From now on always write tests with plain assertions.", "Fine."]],
  ["/home/ana/parser", 16.0, ["What does this regular expression match?"]],
];

function fillHome(home) {
  const now = Date.now() / 1_000;
  let number = 0;
  SESSIONS.forEach(([cwd, ageDays, texts], at) => {
    const sessionId = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    const endS = now - ageDays * DAY_S;
    const lines = texts.flatMap((text, turn) => {
      number += 1;
      const common = {
        isSidechain: false,
        userType: "external",
        entrypoint: "cli",
        cwd,
        sessionId,
        version: "2.1.140",
        timestamp: new Date((endS - (texts.length - turn) * 60) * 1_000).toISOString(),
      };
      const uuid = `10000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
      const user = {
        parentUuid: null,
        ...common,
        uuid,
        type: "user",
        message: { role: "user", content: text },
      };
      const content = [{ type: "text", text: "ok" }];
      const message = {
        id: `msg_${number}`,
        type: "message",
        role: "assistant",
        content,
        stop_reason: "end_turn",
      };
      const answer = { parentUuid: uuid, ...common, uuid: `2${uuid.slice(1)}`, type: "assistant", message };
      return [user, answer];
    });
    const path = join(home, ".claude/projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"), `${sessionId}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    utimesSync(path, endS, endS);
  });
}

/** What `engramd` prints beside a daemon that has read everything. */
async function firstScreen() {
  const folder = mkdtempSync(join(tmpdir(), "engramd-picture-"));
  const home = join(folder, "home");
  mkdirSync(join(folder, "run"), { mode: 0o700 });
  fillHome(home);
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_RUNTIME_DIR: join(folder, "run"),
    TZ: "UTC",
    COLUMNS: String(COLUMNS),
  };
  const ask = (...args) => execFileSync(process.execPath, [ENTRY, ...args], { env, encoding: "utf8" });
  ask("sync");
  const daemon = spawn(process.execPath, [ENTRY, "run"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => daemon.once("close", resolve));
  try {
    await lineOf(daemon, "daemon:ready");
    return ask().trimEnd().split("\n");
  } finally {
    daemon.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf(daemon, word) {
  return new Promise((resolve, reject) => {
    let text = "";
    const late = setTimeout(() => reject(new Error(`no ${word} within ${READY_MS} ms: ${text}`)), READY_MS);
    const done = (settle) => {
      clearTimeout(late);
      settle();
    };
    daemon.stdout.setEncoding("utf8").on("data", (part) => {
      text += part;
      if (text.includes(word)) done(resolve);
    });
    daemon.once("close", () => done(() => reject(new Error(`the daemon ended: ${text}`))));
  });
}

const CELL = { width: 8.4, height: 19 };
const MARGIN = 20;
const BAR = 30;

function picture(lines) {
  const shown = ["$ engramd", ...lines];
  const width = Math.ceil(Math.max(...shown.map((line) => line.length)) * CELL.width) + 2 * MARGIN;
  const height = shown.length * CELL.height + BAR + MARGIN;
  const rows = shown.map((line, at) => {
    const y = BAR + (at + 1) * CELL.height;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${spans(line, at)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    "<title>What engramd prints: the first screen</title>",
    "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d8dee6;white-space:pre}" +
      ".g{fill:#7ccf8a}.f{fill:#8a94a3}.b{fill:#fff;font-weight:600}.w{fill:#e5c07b}</style>",
    `<rect width="${width}" height="${height}" rx="8" fill="#1b2028"/>`,
    ...["#e06c75", "#e5c07b", "#7ccf8a"].map(
      (fill, at) => `<circle cx="${MARGIN + at * 18}" cy="18" r="5.5" fill="${fill}"/>`,
    ),
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/** The colours the program uses on a terminal. */
function spans(line, at) {
  if (at === 0) return `<tspan class="f">$</tspan>${escaped(line.slice(1))}`;
  const head = at === 1 ? /^(engramd [^(]*)(\(.*\))?$/.exec(line) : null;
  if (head !== null)
    return `<tspan class="g">${escaped(head[1])}</tspan><tspan class="f">${escaped(head[2] ?? "")}</tspan>`;
  if (/will be deleted|^ {2}! /.test(line)) return `<tspan class="w">${escaped(line)}</tspan>`;
  const command = /^(.*\S {4,})(engramd .*)$/.exec(line);
  return command === null
    ? escaped(line)
    : `${escaped(command[1])}<tspan class="b">${escaped(command[2])}</tspan>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

process.stdout.write(picture(await firstScreen()));
