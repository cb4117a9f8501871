// Every check of `engramd doctor`, in the order a person reads them. A new one is one entry here.
import type { Check } from "./check.ts";
import { CONSOLIDATE_LOCKS, LEFTOVER_FILES, STALE_LOCKS, STALE_SOCKET } from "./leavings.ts";
import { CLOCK, DISK, WATCH_ROOM } from "./machine.ts";
import { SECOND_DAEMON, SYNCED } from "./neighbours.ts";
import { DAEMON, NODE_VERSION, OTHER_INSTALLS, PACKAGE } from "./program.ts";
import { MEMORY_WRITABLE, SOCKET_FOLDER, STATE_RIGHTS } from "./rights.ts";
import * as service from "./service.ts";
import { CONFIG, KEY_COMMAND, PRIVATE_SETTINGS, PROVIDER } from "./settings.ts";
import { BETTER_HOME, COLLISIONS, EXPIRING, SOURCES, STATE_FORMAT } from "./sources.ts";

export const CHECKS: readonly Check[] = [
  NODE_VERSION,
  PACKAGE,
  OTHER_INSTALLS,
  CONFIG,
  PRIVATE_SETTINGS,
  KEY_COMMAND,
  PROVIDER,
  STATE_FORMAT,
  STATE_RIGHTS,
  SOCKET_FOLDER,
  STALE_LOCKS,
  CONSOLIDATE_LOCKS,
  STALE_SOCKET,
  LEFTOVER_FILES,
  service.RECORDED_NODE,
  service.SERVICE_FILE,
  service.SERVICE_ON,
  service.SERVICE_ENVIRONMENT,
  service.LINGER,
  service.HARDENING,
  DAEMON,
  SECOND_DAEMON,
  SOURCES,
  EXPIRING,
  MEMORY_WRITABLE,
  COLLISIONS,
  BETTER_HOME,
  SYNCED,
  WATCH_ROOM,
  CLOCK,
  DISK,
];
