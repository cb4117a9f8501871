// Acts that reach outside or cannot be taken back: a model may say in its own words where a rule applies, but whoever
// is told to send, upload, install or delete something is told so by the person.
import type { MemoryChange } from "../../../domain/changes.ts";
import type { ProposalFacts, Refusal } from "../facts.ts";
import { isOrder } from "../imperatives.ts";
import { memoryText, personWords, trustedMemories } from "../quotes.ts";
import { sentencesOf, withoutLabel } from "../sentences.ts";
import { normalise } from "../words.ts";

/** One act in all its words; said in one of them, it may be written in any other. */
const ACTS: readonly RegExp[] = [
  /\b(?:send|sends|sending|upload\w*|forward(?:s|ed|ing)?|e-?mail(?:s|ed|ing)? (?:the|all|it|them|a|every|your|any)|exfiltrat\w*|transmit\w*|leak\w*|post(?:s|ed|ing)? (?:the|all|it|them|every|your|any)|share(?:s|d)? (?:the|all|it|them|every|your|any)|submit\w*|sende(?:n|t)?|schicke?n?|hochladen|lade?n? .{0,40} hoch|weiterleit\w*|env[ií]a\w*|manda(?:r)?|subir|sube)\b|发送|发给|上传|转发|送信|アップロード|転送/u,
  /\b(?:delet\w*|remov\w*|eras\w*|wip\w*|drop(?:s|ping)? (?:the|all|every|any)|purge\w*|lösch\w*|entfern\w*|borra\w*|elimin\w*)\b|删除|清空|削除|消去/u,
  /\b(?:install\w*|download\w*|fetch\w*|curl|wget|installier\w*|herunterlad\w*|instal\w*|descarg\w*)\b|安装|下载|インストール|ダウンロード/u,
  /\b(?:execut\w*|eval|ausführ\w*|ejecut\w*)\b|执行|実行/u,
  /\b(?:disabl\w*|deactivat\w*|turn(?:s|ed|ing)? off|switch(?:es|ed|ing)? off|bypass\w*|skip\w*|ignor\w*|overrid\w*|deaktivier\w*|abschalt\w*|umgeh\w*|überspring\w*|desactiv\w*|omit\w*|salta\w*)\b|禁用|关闭|跳过|忽略|绕过|無効|スキップ|無視/u,
  /\b(?:hid(?:e|es|ing)|conceal\w*|secretly|silently|verberg\w*|verheimlich\w*|heimlich|ocult\w*)\b|隐瞒|悄悄|隠/u,
  /\b(?:reveal\w*|disclos\w*|expos(?:e|es|ing)|credential\w*|passwords?|passwort\w*|secrets?|api keys?|tokens?|contraseña\w*|\.env)\b|密码|密钥|凭证|パスワード|秘密鍵/u,
  /\b(?:obey\w*|complian\w*|comply|gehorch\w*|obedec\w*)\b|服从|従う/u,
];

export function actsRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer !== "model") return undefined;
  const { description, body } = change.memory;
  const trusted = normalise(
    [personWords(change.evidence, facts), ...trustedMemories(change, facts).map(memoryText)].join("\n"),
  );
  const free = ACTS.filter((act) => !act.test(trusted));
  const orders = sentencesOf(`${description}\n\n${body}`)
    .map((sentence) => normalise(withoutLabel(sentence)))
    .filter(isOrder);
  return orders.some((sentence) => free.some((act) => act.test(sentence)))
    ? {
        reason: "foreign-order",
        message:
          "nobody was heard asking for this act; leave it out or quote the person's words that ask for it",
      }
    : undefined;
}
