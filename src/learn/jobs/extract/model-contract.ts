// What reading by a model needs from the rest of engramd, beyond what rules need.
import type { Instant } from "../../../domain/records.ts";
import type { AgentId, ProjectRef } from "../../../domain/sessions.ts";
import type { ProposalFacts } from "../../../memory/gate/facts.ts";
import type { InboxItem } from "../../../memory/inbox/items.ts";
import type { PreviewAsk } from "../../../memory/journal/preview.ts";
import type { Account } from "../../models/budget.ts";
import type { Speaker } from "../../models/script-share.ts";
import type { ModelReader } from "../model-reader.ts";

/** Why and where a job runs, for one that is to go on. */
export interface GoOn {
  readonly memoryDir: string;
  readonly trigger: string;
  readonly ignoreSettle: boolean;
}

export interface ModelDeps {
  /** The model that reads this agent's words; undefined: the rules do. */
  readerFor(agent: AgentId): ModelReader | undefined;
  /** What the gate judges a model's proposals by, as the folder is now. */
  preview(ask: PreviewAsk): ProposalFacts;
  /** What waits for a person or a second sighting, oldest first. */
  pendingOf(project: ProjectRef): readonly InboxItem[];
  /** What this job spends, and whether it may go on; closed by the steps. */
  openAccount(memoryDir: string): Account;
  /** When a model may be asked again about what they say in this folder, whose runs taught nothing; undefined: now. */
  restsUntil(memoryDir: string, who?: Speaker): Instant | undefined;
  /** Too little new text for a model: the folder is due again at `at`, or when more comes. */
  waitForMore(memoryDir: string, at: Instant): void;
  /** The job has reached its bound: another one is to go on for the same reason. */
  goOn(request: GoOn): void;
}
