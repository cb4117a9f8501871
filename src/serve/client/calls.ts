// How each question of the service travels over the socket, as data. `control/routes.ts` is the other end.
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import type { EngramdService } from "../../domain/service.ts";

export interface CallShape {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Undefined for work that may take as long as it takes, while the daemon shows signs of life (`vigil.ts`). */
  readonly answerMs: number | undefined;
}

const { answerMs, requestMs } = SOCKET_LIMITS;

export const CALLS: Readonly<Record<keyof EngramdService, CallShape>> = {
  status: { method: "GET", path: "/v1/status", answerMs },
  overview: { method: "GET", path: "/v1/overview", answerMs: requestMs },
  memories: { method: "GET", path: "/v1/memories", answerMs: requestMs },
  runs: { method: "GET", path: "/v1/runs", answerMs: requestMs },
  sync: { method: "POST", path: "/v1/sync", answerMs: undefined },
  remember: { method: "POST", path: "/v1/remember", answerMs: requestMs },
  forget: { method: "POST", path: "/v1/forget", answerMs: requestMs },
  log: { method: "POST", path: "/v1/log", answerMs: requestMs },
  why: { method: "GET", path: "/v1/why", answerMs: requestMs },
  news: { method: "POST", path: "/v1/news", answerMs: requestMs },
  ignore: { method: "POST", path: "/v1/ignore", answerMs: requestMs },
  history: { method: "GET", path: "/v1/history", answerMs: requestMs },
  diff: { method: "GET", path: "/v1/diff", answerMs: requestMs },
  cost: { method: "GET", path: "/v1/cost", answerMs: requestMs },
  undo: { method: "POST", path: "/v1/undo", answerMs: undefined },
  lint: { method: "GET", path: "/v1/lint", answerMs: requestMs },
  fixLint: { method: "POST", path: "/v1/lint/fix", answerMs: undefined },
  inbox: { method: "GET", path: "/v1/inbox", answerMs: requestMs },
  acceptItems: { method: "POST", path: "/v1/inbox/accept", answerMs: undefined },
  rejectItems: { method: "POST", path: "/v1/inbox/reject", answerMs: requestMs },
  dream: { method: "POST", path: "/v1/dream", answerMs: undefined },
  distill: { method: "POST", path: "/v1/distill", answerMs: undefined },
  cancel: { method: "POST", path: "/v1/cancel", answerMs: requestMs },
  pause: { method: "POST", path: "/v1/pause", answerMs: requestMs },
  resume: { method: "POST", path: "/v1/resume", answerMs: requestMs },
  projects: { method: "GET", path: "/v1/projects", answerMs: requestMs },
  moveProject: { method: "POST", path: "/v1/projects/move", answerMs: undefined },
  model: { method: "GET", path: "/v1/model", answerMs: requestMs },
  // A server of the person's own may take minutes for the one question it is asked before.
  useModel: { method: "POST", path: "/v1/model/use", answerMs: undefined },
};
