// Hard gates: sentences that teach nothing whatever words they hold, and what a person said must not be kept.
// Must never look at anything but the one sentence it is given.
import { withoutRestrictions } from "../../memory/gate/restrictions.ts";
import type { Statement } from "./statements.ts";
import { mentionsSecret } from "./secret-words.ts";

export type GateReason =
  | "question"
  | "courtesy"
  | "one-off"
  | "hypothetical"
  | "sarcasm"
  | "reported"
  | "secret"
  | "permission";

/** Markers of "for good" that hold words the one-off patterns look for (`now`, `today`, `ahora`). */
const DURABLE_WORDS =
  /\b(?:from|starting|as of|beginning) (?:now|today|tomorrow|here)(?: on(?:wards?)?)?\b|\b(?:ab|von) (?:jetzt|heute|sofort)(?: an)?\b|(?:a partir|desde|de) (?:de )?(?:ahora|hoy)(?: en adelante)?|从现在(?:起|开始)|从今(?:天|以)后?(?:起|开始)?/giu;

/** "Even if this file does not need it": limits nothing. */
const CONCESSION =
  /\b(?:even (?:if|when|though)|regardless of (?:whether|if)|selbst wenn|auch wenn|aunque|incluso si) [^,.;:]{2,160}/giu;

const THING =
  "(?:pr|pull request|mr|commit|branch|file|task|one|change|session|run|time|test|case|ticket|release|review|function|method|class|handler|loop|line|page|button|component|variable|field|endpoint|screen|view|bug|error|issue|plan|doc|document|section|diff|query|script|module|step|flag|option|chunk|phase|iteration|refactor(?:ing)?|feature|fix|sprint|demo|block|table|row|column|dialog|modal|form|list|output|message|prompt|reply|response|answer|conversation|chat)";

const ONE_OFF: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:in|for|on|with|during|at) (?:this|that|the current|these) (?:\w+ )?${THING}s?\b`,
    "iu",
  ),
  new RegExp(
    String.raw`\b(?:this|these|those) (?:\w+ ){0,2}?${THING}s?\b(?! (?:convention|style|rule|standard|practice))`,
    "iu",
  ),
  new RegExp(String.raw`\bthat ${THING}\b(?! (?:is|are|was|were|must|should|names?|end|start))`, "iu"),
  /\b(?:just|only) (?:for )?(?:this|once|now|today)\b|\bthis (?:one )?time\b|\bthis once\b|\bone[- ]off\b|\bfor (?:now|today|the moment|the time being)\b|\btemporarily\b|\bright now\b|\b(?:today|tonight|later)\b|\byet\b|\bfor starters\b|\buntil (?:i|you|we) (?:say|tell|finish|ask)|\bwhen (?:you(?:'re| are)|we(?:'re| are)|it(?:'s| is)) (?:done|finished|ready)|\bonce (?:you|we|that|it)/iu,
  /这次|這次|本次|这一次|这回|暂时|目前先|先不要|仅此一次|今天|(?:这|那|此|该)(?:个|里的|段|行|条)?(?:函数|文件|方法|分支|测试|任务|PR|变量|类|按钮|页面|接口|循环|组件|改动|提交)/iu,
  /今回|今だけ|一旦|とりあえず|ひとまず|今日は|(?:この|その|あの)(?:ファイル|関数|メソッド|PR|テスト|ブランチ|タスク|クラス|変数|ボタン|ページ|行|ループ|処理|変更)/u,
  /\b(?:diesmal|dieses mal|heute|vorerst|erst ?mal|ausnahmsweise|für den moment|einmalig|momentan|gerade)\b|\b(?:in|für|bei|an) (?:dies(?:er|em|en|e|es)|der aktuellen|dem aktuellen) /iu,
  /\b(?:por )?esta vez\b|\bpor (?:ahora|el momento|hoy)\b|\bde momento\b|\bhoy\b|\best[ea] (?:archivo|fichero|función|método|pr|rama|prueba|test|tarea|línea|commit|botón|página|clase|variable|bucle)\b/iu,
];

/** What people say to each other around the work. */
const COURTESY =
  /\b(?:(?:do not|don'?t|never) hesitate|feel free to (?:reach|ask|contact|let)|reach out(?: to (?:me|us|the))?\b|if you (?:have|run into|ever have) any (?:questions?|issues?|concerns?|problems?|doubts?)|my door is|(?:i'?m|we'?re) (?:always )?here (?:to|for)|keep up the|looking forward|good luck|let me know if|no worries|take care|well done|congratulations)\b/iu;

const HYPOTHETICAL =
  /\b(?:what if|suppose|imagine|let's say|hypothetically|maybe|perhaps|might|i wonder|not sure|i (?:think|guess|believe|assume|suppose)|presumably|probably|it seems|seems|would be (?:nice|good|great|cool)|if (?:we|i|you) (?:were|had|could|ever)|(?:we|you|i) could)\b|如果.*(?:就好|的话呢)|假如|假设|也许|或许|说不定|もし.*(?:たら|なら)|たぶん|多分|かもしれ|仮に|\b(?:vielleicht|angenommen|wäre|hätte|könnte(?:n|st)?|eventuell|möglicherweise|ich glaube|ich denke)\b|\b(?:quizás?|tal vez|a lo mejor|supongamos|podría(?:mos|s)?|creo que|sería)\b/iu;

/** The opposite is meant. "Oh yeah, always ..." is said in earnest, so praise must follow, or a cry that is never meant. */
const SARCASM =
  /^(?:oh,? sure|yeah,? right|na klar|ja klar)[,!.…]+ .*\b(?:always|never|let'?s|immer|nie|alles)\b|\bwhat (?:could|can) (?:possibly )?go wrong\b|[,;!] (?:(?:what an? )?(?:brilliant|genius) (?:idea|plan|move)|(?:super|tolle|geniale) idee|qué (?:gran|buena) idea)[.!…]*$|[，,]真是(?:个)?好主意|[、。](?:最高|素晴らしい)のアイデアだね/iu;

const SPEAKER =
  "(?:he|she|they|someone|somebody|people|(?:the |my |a |our )?(?:docs?|documentation|readme|article|reviewer|blog(?: post)?|tutorial|comments?|spec|copilot|error|message|log|linter|manual|guide|book|stack ?overflow|chatgpt|assistant|agent|client|customer|boss|manager|colleague|coworker|teammate))";
const REPORTED: readonly RegExp[] = [
  new RegExp(
    String.raw`\b${SPEAKER} (?:said|says?|wrote|writes?|told|tells|recommends?|suggest(?:s|ed)?|claim(?:s|ed)?|wants?|thinks?|prefers?|asked|likes?)\b`,
    "iu",
  ),
  /\baccording to\b|\bin (?:his|her|their) (?:words|opinion)\b/iu,
  /\b(?:page|site|website|e-?mail|ticket|issue|wiki|post|vendor|thread|notes|changelog|text|prompt|tool) (?:says?|said|reads?|states?|wants?|asks?|tells?)\b[,:]?\s+(?:that|to|us|we|you|always|never|from|remember|please|do|don'?t|must)\b/iu,
  /(?:他|她|他们|文档|说明|评论|客户|同事|教程|报错)(?:里)?(?:说|写|建议|想要|喜欢)/u,
  // "小王说以后...", but not "我说过以后..."
  /(?<!我|我们|咱们|你|再|来|刚才|之前|比如|按|所|常)(?:说|說|写道|写着|寫著|提到|指出)(?:过|了)?[，,:：]?\s{0,3}(?:以后|以後|从|今后|今後|请|記住|记住|一律|必须|不要|要|你)/u,
  /(?:と言って|と言っ|と書いて|によると|によれば|さんは.*(?:好き|派))/u,
  /(?:に(?:は|も)?|で(?:は)?)[^。、]{0,6}(?:書いてあ|書いてい|書かれて)|と(?:あります|述べて|書かれて)/u,
  /\b(?:er|sie|man|die doku(?:mentation)?|das readme|der reviewer|der kunde|kollege) (?:sagt|sagte|meint|meinte|schreibt|empfiehlt|will|möchte)\b|\blaut (?:der|dem|doku)\b/iu,
  /\b(?:auf|in|im)\b[^,.;:]{0,30}\b(?:(?:web)?seite|website|e?-?mail|readme|doku(?:mentation)?|artikel|ticket|wiki|nachricht)\b[^,.;:]{0,20}\b(?:steht|stand|heißt es)\b|\b(?:(?:web)?seite|website|mail|readme|doku|artikel|ticket|chef(?:in)?|kolleg(?:e|in)) (?:sagt|sagte|meint|schreibt|schrieb|empfiehlt|will|verlangt)\b/iu,
  /\b(?:él|ella|ellos|el cliente|la documentación|el readme|mi jefe|el revisor) (?:dice|dijo|recomienda|quiere|prefiere|escribió)\b|\bsegún (?:el|la|los)\b/iu,
  /\b(?:página|web|sitio|correo|readme|documentación|artículo|ticket|jefe|cliente)\b[^,.;:]{0,20}\b(?:dice|dijo|pone|recomienda|pide|quiere) (?:que|:)/iu,
];

/** Orders that would widen what an agent may do. The gate of the memory folder has the full list. */
const PERMISSION =
  /\b(?:ignore|disregard|bypass|override|forget) (?:all |any |your |the |my )*(?:previous |prior |earlier |system |safety )*(?:rules|instructions|permissions|guidelines|restrictions)\b|\bwithout (?:asking|permission|confirmation|approval)\b|\b(?:skip|disable|bypass) (?:the |all |any )?(?:permissions?|confirmations?|approvals?|sandbox)\b|\bauto-?(?:approve|accept)\b|忽略.{0,6}(?:规则|指令|限制)|无需确认|不用问我|無視して.{0,4}(?:指示|ルール)|確認なしで|\bohne (?:zu fragen|rückfrage|bestätigung|erlaubnis)|\bsin (?:preguntar|permiso|confirmación)/iu;

/** Why a sentence may teach nothing; undefined when no gate is closed. */
export function closedGate(statement: Statement): GateReason | undefined {
  const text = statement.plain;
  if (mentionsSecret(statement.text)) return "secret";
  if (statement.isQuestion) return "question";
  if (PERMISSION.test(withoutRestrictions(text))) return "permission";
  if (COURTESY.test(text)) return "courtesy";
  if (isOneOff(text)) return "one-off";
  if (HYPOTHETICAL.test(text)) return "hypothetical";
  if (SARCASM.test(text)) return "sarcasm";
  return REPORTED.some((pattern) => pattern.test(text)) ? "reported" : undefined;
}

/** Whether an order is about the work at hand only. */
function isOneOff(text: string): boolean {
  const rest = [DURABLE_WORDS, CONCESSION].reduce(
    (left, pattern) => left.replace(pattern, (words) => "·".repeat(words.length)),
    text,
  );
  return ONE_OFF.some((pattern) => pattern.test(rest));
}
