// Loaded into the daemon with `--import`: SIGUSR2 makes its event loop hang for ever, as an endless pattern would.
process.on("SIGUSR2", () => {
  for (;;) Math.sqrt(2);
});
