// Loaded into a daemon with `--import`: waits of a minute and more pass sixty times as fast, shorter ones as they are.
// What comes of a wait must not be told from it: only timers hurry, no clock. Plain JavaScript, because Node runs it as it is.
const LONG_MS = 60_000;
const { setTimeout: wait } = globalThis;

globalThis.setTimeout = Object.assign(
  (work, ms, ...more) => wait(work, ms >= LONG_MS ? ms / 60 : ms, ...more),
  wait,
);
