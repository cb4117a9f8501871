// What reworks memory folders, as one module that is loaded with the first use of any: an idle engramd does without its code,
// and each file more of the program is one that a start opens.
import { answerFix, answerLint } from "../serve/answers/lint.ts";
import { createDistill } from "./distill-job.ts";
import { createDream } from "./dream-job.ts";

export const CONSOLIDATION_JOBS = { answerFix, answerLint, createDistill, createDream } as const;
