// The commands about settings and the service, as data; `registry.ts` has the whole table.
import { MODEL_CHOICES } from "../domain/model-choice.ts";
import { run as config } from "./config.ts";
import { run as cost } from "./cost.ts";
import { run as doctor } from "./doctor.ts";
import { run as install } from "./install.ts";
import { run as logs } from "./logs.ts";
import { run as model } from "./model.ts";
import { ACTIONS as PROJECT_ACTIONS, run as project } from "./project.ts";
import { run as restart } from "./restart.ts";
import { run as uninstall } from "./uninstall.ts";
import type { CommandEntry } from "./frame/command.ts";

export const SERVICE_COMMANDS: readonly CommandEntry[] = [
  {
    name: "project",
    summary: "where the memory of each project lies; move takes one to where its agent reads it",
    words: "[what]",
    places: [PROJECT_ACTIONS],
    options: [
      { flags: "--back", summary: "take the last move back" },
      { flags: "--yes", summary: "you agree to the move as it is shown" },
    ],
    group: "Settings and service",
    examples: [
      ["project", "every project and its memory folder"],
      ["project move", "the project you are in; asks first"],
      ["project move --back", "as it was before"],
    ],
    exits: { 1: "refused, or nobody said yes" },
    run: project,
  },
  {
    name: "config",
    summary: "the settings: show them, check them, or explain one (show, check, explain)",
    words: "[what] [key]",
    places: [["show", "check", "explain"], "setting"],
    options: [],
    group: "Settings and service",
    examples: [
      ["config check", "what is wrong with the settings"],
      ["config explain budget", "what it is and who set it"],
    ],
    run: config,
  },
  {
    name: "doctor",
    summary: "what is wrong with this installation, and what to do about it",
    words: "",
    options: [
      { flags: "--fix", summary: "mend what is engramd's own: modes, leavings of dead processes, its unit" },
    ],
    group: "Settings and service",
    examples: [["doctor --fix", "says each thing it did"]],
    run: doctor,
  },
  {
    name: "cost",
    summary: "what models cost, by day, project, kind of job and memory",
    words: "",
    options: [
      {
        flags: "--days <count>",
        summary: "so many days, today included (default 30)",
        value: ["1", "7", "30"],
      },
    ],
    group: "Settings and service",
    examples: [
      ["cost", "the last 30 days, of every project"],
      ["cost --project .", "of this project"],
      ["cost --days 1 --json | jq .total.usd", "today, for a program"],
    ],
    run: cost,
  },
  {
    name: "model",
    summary: "which model reads your words, and what it costs; use: choose one, or none",
    words: "[what] [provider]",
    places: [["use"], MODEL_CHOICES],
    options: [
      { flags: "--base-url <url>", summary: "address of the server, without /v1" },
      { flags: "--model <id>", summary: "model for every kind of job: an id, small or middle" },
      { flags: "--agent <ids>", summary: "only these agents, joined by commas (default: all found)" },
      { flags: "--yes", summary: "agree to what is shown" },
      { flags: "--allow-plain-http", summary: "agree that words travel unencrypted to another machine" },
    ],
    group: "Settings and service",
    examples: [
      ["model", "what is used, and what your last 7 days would cost"],
      ["model use anthropic", "shows what will be sent where, and asks"],
      ["model use local --base-url http://127.0.0.1:8080 --model qwen3", "a server of your own"],
      ["model use offline", "no model: take consent back"],
    ],
    exits: { 1: "nobody said yes, or the server cannot be used: nothing was changed" },
    run: model,
  },
  {
    name: "install",
    summary: "run engramd as a service of yours, now and at every login",
    words: "",
    options: [{ flags: "--no-network", summary: "the service may not use the network at all" }],
    group: "Settings and service",
    examples: [["install --no-network", "without any access to a network"]],
    exits: { 1: "written, but the manager did not start it" },
    run: install,
  },
  {
    name: "uninstall",
    summary: "undo what install did",
    words: "",
    options: [
      { flags: "--purge", summary: "also remove our state: history, cursors, evidence" },
      { flags: "--remove-memories", summary: "also remove memories engramd made and nobody edited" },
    ],
    group: "Settings and service",
    examples: [["uninstall --purge", "memories stay; history goes"]],
    exits: { 4: "an engramd runs that the manager does not stop" },
    run: uninstall,
  },
  {
    name: "restart",
    summary: "restart the service",
    words: "",
    options: [],
    group: "Settings and service",
    run: restart,
  },
  {
    name: "logs",
    summary: "what the service has logged",
    words: "",
    options: [
      { flags: "-n, --lines <count>", summary: "the last so many lines (default 100)" },
      { flags: "-f, --follow", summary: "go on with what comes, until Ctrl-C" },
    ],
    group: "Settings and service",
    examples: [
      ["logs -n 20", "the last 20 lines"],
      ["logs -f", "go on, until Ctrl-C"],
    ],
    run: logs,
  },
];
