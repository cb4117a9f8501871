// Permission grants and "ignore the rules" text: memory must never widen what an agent may do. Five languages.
import type { MemoryChange } from "../../../domain/changes.ts";
import { proposedText, type Refusal } from "../facts.ts";
import { withoutRestrictions } from "../restrictions.ts";
import { normalise } from "../words.ts";

const PATTERNS: readonly RegExp[] = [
  // English
  /\b(?:ignore|disregard|forget|override|bypass|circumvent)\b(?: \w+){0,3} (?:(?:previous|prior|earlier|above|system|safety|security|other|your|these|those|all) )(?:\w+ ){0,2}(?:instructions?|rules?|guidelines?|prompts?|restrictions?|polic(?:y|ies))\b/u,
  /\b(?:ignore|disregard|forget|override) (?:the |any |every )?(?:instructions?|rules?|guidelines?|system prompt|safety \w+)(?! (?:in|of|from) (?:the )?\w*(?:lint|style))(?:[.,;!]|$| (?:and|above|you|given))/u,
  /\b(?:you|claude|codex|gemini|the (?:agent|assistant|model)|agents?) (?:are|is|has|have|may|can)(?: been)?(?: hereby| now| always| also)? (?:allowed|permitted|authori[sz]ed|granted|free|full (?:access|permission)|permission)\b/u,
  /\b(?:without|no need (?:to|for)|(?:do not|don'?t|never|stop) ?(?:ever )?)(?: \w+){0,2} ?(?:ask(?:ing)?|confirm(?:ing|ation)?|approv(?:al|ing)|permission)(?: (?:me|the user|us))?(?: (?:for|before|first|to (?:run|execute|delete|push))\b|[.,;!]|$)/u,
  /\b(?:skip|disable|turn off|bypass|auto-?(?:approve|accept|confirm))(?: \w+){0,3} ?(?:permissions?|confirmations?|approvals?|sandbox|safety checks?)\b/u,
  /\bauto-?(?:approve|accept)\b|dangerously-?\s?skip-?\s?permissions|bypasspermissions|\byolo mode\b/u,
  /\b(?:do not|don'?t|never) (?:tell|inform|mention (?:this|it) to|show (?:this|it) to) (?:the )?(?:user|person|human|anyone)\b/u,
  /\bgrant(?:s|ed|ing)?\b(?: \w+){0,3} (?:access|permissions?|rights)\b/u,
  // German
  /\b(?:ignorier|missacht|vergiss|umgeh)\w*\b(?: \w+){0,3} (?:anweisung|regel|vorgabe|richtlinie|einschränkung|systemprompt)/u,
  /\b(?:du|claude|der (?:agent|assistent))\b(?: \w+){0,2} (?:darfst|darf|hast die erlaubnis|bist berechtigt)\b.{0,60}(?:ohne|ausführen|löschen|pushen|alles)/u,
  /\bohne (?:(?:vorher |erst )?(?:zu fragen|nachzufragen)|(?:nachfrage|rückfrage|bestätigung|erlaubnis|genehmigung))/u,
  /\b(?:sag|erzähl|verrate?)\w*\b(?: \w+){0,3} (?:nutzer|benutzer|anwender)\w* (?:nichts|nicht)/u,
  // Spanish
  /\b(?:ignora|olvida|omite|desobedece)\w*\b(?: \p{L}+){0,3} (?:instrucciones|reglas|normas|restricciones|directrices)/u,
  /\b(?:tienes|tiene) (?:permiso|autorización)|\b(?:puedes|puede)\b.{0,60}\bsin (?:preguntar|pedir|confirm)/u,
  /\bsin (?:preguntar(?:me)?|pedir (?:permiso|confirmación)|confirmación|autorización)/u,
  /\bno (?:se lo )?(?:digas|informes|menciones)\b.{0,30}\busuario/u,
  // Chinese
  /(?:忽略|无视|忘记|绕过|不要遵守).{0,12}(?:指令|指示|规则|提示词|限制|安全)/u,
  /(?:无需|不需要|不用|不必|别)(?:再)?(?:经过|征得|向)?.{0,4}(?:询问|确认|批准|许可|同意|问我)|(?:你|助手|代理)(?:有权|被允许|可以直接|可以不经)/u,
  /(?:不要|别)(?:告诉|通知)用户|自动(?:批准|同意|确认)/u,
  // Japanese
  /(?:指示|命令|ルール|規則|制限|プロンプト).{0,6}(?:無視|忘れ|回避|破)/u,
  /(?:確認|許可|承認|断り)(?:を)?(?:なし|無し|せず|取らず|得ず|求めず)|(?:聞かずに|尋ねずに)|(?:許可|権限)(?:が|を)(?:与え|ある|持って)/u,
  /ユーザーに(?:は)?(?:言わない|知らせない|伝えない)|自動(?:承認|許可)/u,
];

export function permissionRule(change: MemoryChange): Refusal | undefined {
  const text = normalise(withoutRestrictions(proposedText(change)));
  if (!PATTERNS.some((pattern) => pattern.test(text))) return undefined;
  return {
    reason: "permission-text",
    message: "memory never grants permissions and never lifts rules; settings are the place for that",
  };
}
