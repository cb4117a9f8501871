// Orders that only a tool or the assistant gave: "run this", "fetch that". The person orders, everybody else reports.
import type { MemoryChange } from "../../../domain/changes.ts";
import { type Claim, claimsOf, claimSource } from "../claims.ts";
import { clausesOf, withoutReasons } from "../clauses.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { isOrder } from "../imperatives.ts";
import { withoutPointers } from "../links.ts";
import { memoryText, personWords, trustedMemories } from "../quotes.ts";
import { sentencesOf } from "../sentences.ts";
import { isMostlySaid, tellingWords } from "../telling.ts";
import { normalise } from "../words.ts";

/** Verbs that send an agent to a command or an address, where they stand as an order. */
const ORDER = new RegExp(
  [
    String.raw`(?:^|[,;:.!(] *|\b(?:then|and|please|must|should|(?<!how )to|first|also|simply|just|can|need to|or) )(?:re-?)?(?:run|use|execute|install|curl|wget|download|open|visit|fetch|call|invoke|add|apply|set|send|post|submit|upload|push|deploy|delete|remove|disable|enable|import|load|start|stop|paste|copy|type|enter|go to|see|read|check|follow|report|prefer|try|ensure|make sure|pip|npm)\b`,
    String.raw`(?:^|[,;:.!(] *|\b(?:dann|und|bitte|zuerst|zu) )(?:führe?n?|nutze?n?|benutze?n?|verwende?n?|installiere?n?|lade?n?|öffne?n?|besuche?n?|rufe?n?|starte?n?|lösche?n?|sende?n?|schicke?n?|ausführen|auszuführen)\b`,
    String.raw`(?:^|[,;:.!(¡] *|\b(?:luego|y|por favor|primero|para) )(?:ejecuta?r?|usa?r?|utiliza?r?|instala?r?|descarga?r?|abre|abrir|visita?r?|llama?r?|borra?r?|envía|enviar|corre|correr)(?!\p{L})`,
    "(?:请|先|再|就|要|应|须|^)[^，。]{0,6}(?:运行|执行|使用|用|安装|下载|打开|访问|调用|删除|发送|上传)|(?:ください|なさい|こと[。.]?$|実行する[。.]?$|使う[。.]?$|しろ)",
  ].join("|"),
  "iu",
);
/** What is never taken from anybody but the person, in whatever form it is told. */
const DANGEROUS =
  /\b(?:curl|wget|sudo|rm -|chmod|chown|eval|base64|nc|ncat|mkfs|dd if|pkill|killall|crontab|--force|--no-verify|--hard)\b|\| ?(?:ba|z|da)?sh\b|--(?:force|no-verify|hard)\b/iu;
const HOW = /^\s*(?:[-*] )?\*{0,2}how to apply:/iu;

export function ordersRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const trusted = trustedText(change, facts);
  const text = `${change.memory.description}\n\n${change.memory.body}`;
  if (sendsSomewhere(text, trusted)) {
    return foreign(
      "a command or address that only a tool or the assistant named must not be an order; state it as a fact or quote the person",
    );
  }
  return ordersOfOthers(change, facts)
    ? foreign(
        "nobody but a tool or the assistant asked for this; state a fact, or quote the person who asks for it",
      )
    : undefined;
}

/**
 * A refusal for want of words, told apart: what orders something nobody typed is kept from agents whatever else is
 * wrong with it (`foreign-order`); the sentence that says how to mend it stays.
 */
export function asForeignOrder(refusal: Refusal, change: MemoryChange, facts: ProposalFacts): Refusal {
  if (facts.producer !== "model" || !WANT_OF_WORDS.has(refusal.reason)) return refusal;
  return ordersOfOthers(change, facts) ? { ...refusal, reason: "foreign-order" } : refusal;
}

const WANT_OF_WORDS: ReadonlySet<Refusal["reason"]> = new Set(["no-evidence", "unsupported"]);

function trustedText(change: MemoryChange, facts: ProposalFacts): string {
  const cited = trustedMemories(change, facts).map(memoryText);
  return [personWords(change.evidence, facts), ...cited].join("\n");
}

/** A command or an address nobody but a tool or the assistant named, as an order. */
function sendsSomewhere(text: string, trusted: string): boolean {
  const source = claimSource(trusted);
  const isForeign = (claim: Claim) =>
    (claim.kind === "command" || claim.kind === "url") && !source.has(claim);
  const orders = sentencesOf(text).some((sentence) => {
    const foreign = claimsOf(sentence).filter(isForeign);
    return foreign.length > 0 && isCommand(sentence, foreign);
  });
  // Code blocks run over lines and are seen in the whole only.
  return orders || claimsOf(text).some((claim) => isForeign(claim) && DANGEROUS.test(claim.text));
}

/** Whether a change tells anybody to do something that the person did not ask for. Where a rule applies, the model says. */
function ordersOfOthers(change: MemoryChange, facts: ProposalFacts): boolean {
  if (!("memory" in change)) return false;
  const { description, body } = change.memory;
  const text = withoutPointers(`${description}\n\n${withoutReasons(body)}`, facts);
  const trusted = trustedText(change, facts);
  const known = normalise(trusted);
  const words = tellingWords(trusted);
  return sentencesOf(text).some(
    (sentence) => isOrder(sentence) && !known.includes(normalise(sentence)) && !isMostlySaid(sentence, words),
  );
}

function foreign(message: string): Refusal {
  return { reason: "foreign-order", message };
}

function isCommand(sentence: string, foreign: readonly Claim[]): boolean {
  if (HOW.test(sentence) || ORDER.test(sentence) || clausesOf(sentence).length > 0) return true;
  return foreign.some((claim) => isAlone(sentence, claim));
}

/** A bare command says "run me". */
function isAlone(sentence: string, claim: Claim): boolean {
  if (claim.kind !== "command") return false;
  const rest = sentence
    .toLowerCase()
    .replace(/[`"'*_]/gu, "")
    .replace(claim.text, "");
  return (rest.match(/[\p{L}\p{N}]+/gu) ?? []).length <= 1;
}
