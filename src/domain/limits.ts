// Every bound in one place. Each constant says where its value comes from.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Reading transcripts. */
export const READ_LIMITS = {
  /** One read call; eight times as much gains nothing (rows 3 and 5 of the bench are the same). */
  chunkBytes: 128 * KIB,
  /** Bytes turned into records and judged before the event loop gets a turn: some 20 ms; 4 MiB took 80 and more. */
  sliceBytes: 512 * KIB,
  /** A longer line is skipped and counted; the largest genuine line seen is 19.3 MB of base64. */
  lineBytesMax: 8 * MIB,
  /** Nesting beyond this is refused before parsing: depth 1e6 blocks the loop for 1.8 s (measured). */
  jsonDepthMax: 200,
  /** Bytes before the cursor that its fingerprint covers. */
  fingerprintBytes: 1024,
  /** Bytes looked at to learn a new source's cwd; genuine files carry up to 143 KB before it. */
  peekBytesMax: MIB,
  /** Bytes before a cursor that are read again for context: what a "yes" answers stands a few records back. */
  lookBackBytes: 32 * KIB,
  /** Tool input and output kept per record. */
  toolPreviewChars: 500,
  /** One typed message kept; pastes beyond it are cut for the rules (a model sees its own rendering). */
  userTextCharsMax: 200_000,
  /** Different unknown record types tallied per source. */
  unknownTypesMax: 64,
} as const;

/** Instruction files of a project, which are only compared with. */
export const INSTRUCTION_LIMITS = {
  /** Agents advise against more than some 40,000 characters; a larger file is passed over. */
  bytesMax: 64 * KIB,
} as const;

/** What is looked at of a project, to tell whether what a memory names is there. */
export const PROJECT_LIMITS = {
  /** Names below the root; beyond it nothing counts as gone. A large repository has some 30,000 (measured). */
  entriesMax: 50_000,
  /** Manifests and Makefiles read of one project; a large monorepo has some hundred. */
  manifestsMax: 300,
  manifestBytesMax: 512 * KIB,
} as const;

/** Longer paths cannot be opened on any system we know (`PATH_MAX`). */
export const PATH_CHARS_MAX = 4_096;

/** What `lint` tells. */
export const LINT_LIMITS = {
  /** Of one folder; each names its file, and a folder with more needs another remedy than a list. */
  findingsMax: 5_000,
  /** Change sets of one folder: a folder of nothing but duplicates needs so many. */
  setsMax: 200,
} as const;

/** Memory files and the index; the first four are the reference system's. */
export const MEMORY_LIMITS = {
  indexLinesMax: 200,
  indexBytesMax: 25_000,
  indexLineCharsMax: 150,
  scannedFilesMax: 200,
  /** What we write ourselves; hosts lose the description beyond 30 lines (measured). */
  frontmatterLinesMax: 20,
  frontmatterBytesMax: 2 * KIB,
  /** What we parse: blank lines are quadratic in the YAML library (80k took 3.8 s). */
  frontmatterReadBytesMax: 4 * KIB,
  frontmatterReadLinesMax: 60,
  /** One topic file; far above any genuine memory. */
  topicBytesMax: 64 * KIB,
  /** A real index has reached 197 KB; one this large is no index any more. */
  indexReadBytesMax: MIB,
  /** Files of one folder that are listed at all. */
  folderFilesMax: 10_000,
  descriptionCharsMax: 300,
  bodyCharsMax: 20_000,
  nameCharsMax: 64,
  /** Words of a search; a long question has a few hundred characters. */
  queryCharsMax: 1_000,
  /** Proposals of one run. */
  changesMax: 50,
  /** Share of a folder's memories one run may remove or empty (the reference has no such guard). */
  lossShareMax: 0.25,
  /** The same for all runs of 24 hours: two that each take the most; many small ones must not empty a folder. */
  lossDayShareMax: 0.5,
  /** Removals of 24 hours that are allowed in a folder of any size: one a run, and a run is allowed one. */
  lossDayFree: 2,
} as const;

/** Noticing growth. */
export const WATCH_LIMITS = {
  /** Folders watched at once; the sweep covers the rest. */
  foldersMax: 500,
  /** A session folder stays watched this long after its last change. */
  activeMs: 7 * 86_400_000,
  /** The sweep yields to the event loop this often. */
  sweepSliceMs: 10,
  sweepMinMs: 60_000,
  sweepMaxMs: 900_000,
  /** The sweep's share of one core decides its pace. */
  sweepCpuShare: 0.0002,
  /** Transcript files known at once. */
  sourcesMax: 200_000,
  /** Names looked at in one sweep; room for the side files that lie beside `sourcesMax` transcripts. */
  sweepEntriesMax: 500_000,
  /** Keys that wait for quiet at once; beyond it the oldest one goes at once. */
  debounceKeysMax: 10_000,
  /** A memory folder is looked at this long after its last change; an agent writes topic and index together. */
  memoryQuietMs: 2_000,
  memoryMaxWaitMs: 30_000,
} as const;

/** Sessions that programs run: a CI, another tool that watches. What is beyond is passed over until a person asks. */
export const SCRIPT_LIMITS = {
  /** New ones of one working directory in an hour; an observer that observed itself came to 160 (a field report). */
  sessionsPerHourMax: 250,
  /** Different working directories in a day: each becomes a project, and a CI may make one a run. */
  foldersPerDayMax: 100,
  /** Of every ceiling of the budget what they may use unasked; the rest is kept for people. */
  budgetShareMax: 0.5,
  /** Hours and directories that are counted at once; the oldest counts go first. */
  countsMax: 10_000,
} as const;

/** Jobs. */
export const JOB_LIMITS = {
  /** Jobs waiting at once; beyond it the sweep finds them again. */
  waitingMax: 10_000,
  retryBaseMs: 5_000,
  retryMaxMs: 3_600_000,
  attemptsMax: 20,
  /** The wait of a failure that says `wait` and not how long. */
  patientMs: 900_000,
  /** Longest run of one job before its signal is aborted. */
  jobMs: 600_000,
  /** How long an aborted job may still tidy up before its slot is given away (its lane stays closed). */
  abortMs: 2_000,
  /** How long stop() waits for running jobs before aborting them; exit is promised within 10 s. */
  drainMs: 6_000,
} as const;

/** The control socket. */
export const SOCKET_LIMITS = {
  /** Longer paths are silently cut by the kernel; 100 leaves room for suffixes. */
  pathBytesMax: 100,
  clientsMax: 100,
  bodyBytesMax: 1 * MIB,
  headersMs: 5_000,
  requestMs: 30_000,
  /** How long a client waits for an answer of a short question. */
  answerMs: 5_000,
  /** Largest answer a client takes: the list of 10,000 memories has about 6 MB. */
  answerBytesMax: 32 * MIB,
  /** A server that does not accept within this time counts as alive: it may be stopped. */
  probeMs: 1_000,
  /** Objects and lists inside a request; its documents are flat. */
  jsonDepthMax: 8,
} as const;

/** A pause with an end: shorter ones nobody notices, longer ones are forgotten. */
export const PAUSE_LIMITS = { forMsMin: 60_000, forMsMax: 30 * 86_400_000 } as const;

const DAY_MS = 86_400_000;

/** What waits for a person, per project. */
export const INBOX_LIMITS = {
  /** A remark said once a quarter is a habit; said once and never again it was none. */
  candidateMs: 90 * DAY_MS,
  /** A proposal nobody looked at for a month is about files that have moved on. */
  proposalMs: 30 * DAY_MS,
  quarantineMs: 30 * DAY_MS,
  /** The newest are kept; more than these nobody reviews. 18,000 typed messages of one person made 230 candidates. */
  candidatesMax: 500,
  proposalsMax: 100,
  quarantineMax: 100,
  /** Words that support one change; the first ones stay. */
  evidenceMax: 20,
  /** Of one project's file; a hundred proposals of ordinary size have a tenth of it. */
  bytesMax: 4 * MIB,
  /** Items one command names. */
  idsMax: 1_000,
} as const;

/** Files we keep ourselves. */
export const STATE_LIMITS = {
  stateFileBytesMax: 64 * MIB,
  configBytesMax: 256 * KIB,
  settingsBytesMax: 1 * MIB,
} as const;

/** The history of memory folders, besides its age (`retention.historyDays`). */
export const HISTORY_LIMITS = {
  /** One folder: some 30,000 changes of ordinary memories, years of a busy project. */
  folderBytesMax: 100 * MIB,
  /** All folders together. */
  allBytesMax: 500 * MIB,
  /** Change sets removed in one go; with a day between two goes a backlog of years is gone in a week. */
  removedMax: 2_000,
  /** An image no change set names may be of one that is just being written. */
  orphanMs: 86_400_000,
} as const;

/** Requests to a model provider. */
export const MODEL_LIMITS = {
  /** No byte for this long and the request is given up; a busy API sends pings every few seconds. */
  silenceMs: 120_000,
  /** Longest request whatever arrives; half of a job's time. */
  requestMs: 300_000,
  /** Answer tokens asked for: a dozen memories and their quotes. */
  outputTokensMax: 8_192,
  /** Characters of one answer kept; far above what `outputTokensMax` can fill. */
  answerCharsMax: 1_000_000,
  /** A server's "retry after" beyond this is cut: the retry clock asks again then. */
  retryAfterMsMax: 3_600_000,
  /** A failure that a person has to mend is tried again so seldom: soon after the mend, rare enough to cost nothing. */
  mendMs: 900_000,
  /** Runs in a row of one project that were paid for and taught nothing, before it rests: a day of steady work. */
  barrenRunsMax: 10,
  /** How long it rests; one run a day then tells whether anything has changed. */
  restMs: 86_400_000,
  /** Runs further ahead than this were written under a wrong clock, and hold back nothing; less is a clock set back. */
  clockAheadMs: 2 * 86_400_000,
  /** The window of a subscription: a limit that names no end is asked about again after it. */
  planWindowMs: 18_000_000,
  /** The longest window is a week; a limit that ends later is a mistake. */
  planLimitMsMax: 8 * 86_400_000,
  /** A key file or a key command's output. */
  keyBytesMax: 16 * KIB,
  keyCommandMs: 10_000,
} as const;

/** A dream. */
export const DREAM_LIMITS = {
  /** Memories whose whole text stands in the task; every request carries them, the rest is read when it is wanted. */
  shownTokensMax: 10_000,
  /** Rules of the instruction files in the task. */
  rulesTokensMax: 4_000,
  /** Hits of one search; the reference's number. */
  hitsMax: 50,
  /** Searches of one run: a suspicion each, a folder of 200 memories has a dozen. */
  searchesMax: 12,
  /** Questions about the project of one run. */
  questionsMax: 60,
  /** Transcripts read for the searches, newest first; a month of steady work. */
  searchBytesMax: 128 * MIB,
  /** Words of one session that are kept for the searches; a longer one is not searched. */
  sessionCharsMax: 2_000_000,
  /** Words of all sessions. */
  wordsCharsMax: 16_000_000,
  /** Project files looked into for a name, and their bytes. */
  symbolFilesMax: 5_000,
  symbolBytesMax: 32 * MIB,
  symbolFileBytesMax: 512 * KIB,
} as const;

/** One run of a model over a stage. */
export const RUN_LIMITS = {
  /** Tool calls of one answer that are looked at; more are refused. */
  callsPerTurnMax: 32,
  /** Characters of one tool result. */
  toolResultCharsMax: 20_000,
  /** Lines one grep answers. */
  grepLinesMax: 100,
  /** A search text or file pattern. */
  patternCharsMax: 200,
  /** Evidence of one proposal. */
  quotesMax: 8,
} as const;

/** Daily logs of a memory folder. */
export const DAILY_LOG_LIMITS = {
  /** Text of one bullet; a longer one is cut with a mark. Ten lines of a terminal are a note, more is a document. */
  bulletCharsMax: 2_000,
  /** A larger log is not read: a day of an agent that notes everything has some 100 KB. */
  fileBytesMax: 16 * MIB,
  /** Log files looked at in one folder; ten years of a file a day are 3,650. */
  filesMax: 20_000,
  /** Lines one distillation holds at a time. */
  linesMax: 10_000,
  /** A log somebody is still writing to is left alone for so long. */
  quietMs: 600_000,
  /** Old logs read when a folder is distilled for the first time by itself; a person may ask for any. */
  firstDays: 7,
  /** A log of today or yesterday that changed within this time says that its agent keeps one. */
  modeMs: 2 * 86_400_000,
  /** Jobs one distillation may take, each with its own bound of tokens: half a million lines. */
  legsMax: 50,
} as const;
