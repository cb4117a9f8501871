// Statements that may be worth keeping but are too weak to be saved by themselves: they wait for a second
// sighting or a person. Data, one entry a class; the first that fits decides. Pure.
import type { MemoryType } from "../../../domain/memories.ts";
import { choiceOf } from "../../../memory/files/choice.ts";

export interface WeakCue {
  readonly cue: string;
  /** Undefined: the words themselves decide. */
  readonly type: MemoryType | undefined;
}

interface WeakClass extends WeakCue {
  readonly patterns: readonly RegExp[];
}

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)";
const DAY =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo";
const WHEN = `(?:${DAY}|next (?:week|month|quarter)|(?:the )?end of (?:the )?(?:week|month|quarter|year)|\\d{4}-\\d{2}-\\d{2}|${MONTH}\\.? \\d|\\d{1,2}(?:st|nd|rd|th|\\.)? (?:de )?${MONTH}|\\d{1,2}月\\d{1,2}|月底|月末|下周|下週|来週|本周|今週|周[一二三四五六日]|[月火水木金土日]曜|明天|明日|ende (?:des monats|der woche|monat)|fin de mes)`;
const EVENT =
  "(?:code freeze|freeze|deadline|release|launch|demo|ship(?:s|ping)?|go-live|cut-?off|due|breaking changes|migration|上线|截止|发布|冻结|リリース|締め切り|締切|納期|veröffentlichung|frist|abgabe|lanzamiento|entrega|fecha límite)";
const ADDRESS =
  "(?:https?:\\/\\/\\S+|\\b[\\w-]+(?:\\.[\\w-]+){0,3}\\.(?:internal|corp|lan|local|com|io|dev|net|org|so|app)\\/\\S+|\\b[\\w-]+\\.(?:internal|corp|lan)\\b|#[a-z][\\w-]{2,})";
const PLACE =
  "(?:track(?:ed|er|ing)?|dashboards?|channel|docs?|documentation|boards?|wiki|runbooks?|specs?|tickets?|live[s]? (?:in|at|on)|posted|文档|看板|面板|日志|错误|监控|都在|ドキュメント|ダッシュボード|資料|dokumentation|handbuch|documentación|tablero|panel)";
/** An order to go there now is no pointer worth keeping. */
const NO_ERRAND =
  "(?!(?:please |pls |can you |let's |now |and )*(?:let's|consider|address|https?:|open|fetch|visit|curl|download|clone|read|look|check|research|explain|tell|show|go to|see|review|fix|try|run|test|merge|打开|访问|看一下|开|abre|öffne))";

const WEAK: readonly WeakClass[] = [
  {
    cue: "identity",
    type: "user",
    patterns: [
      /^(?:btw,? |by the way,? |so |and |fyi,? )?i(?:'m| am) (?:an? [a-z]|the [a-z]+ (?:of|for|on)|new to|colou?r-?blind|dyslexic|deaf|responsible for|in charge of)(?! (?:bit|little|fan|lot|big fan|tad|few|idiot|sucker))/iu,
      /^(?:and )?i work (?:as|on|in|at|with|mostly|mainly)\b|^my (?:role|background|job|day job|team) is /iu,
      /^i(?:'ve| have) (?:been \w+ing|worked|used|written)\b.{2,60}\b(?:years?|decades?|months)\b/iu,
      /^我(?:是|在|做|主要|平时|负责)[^，。]{0,20}(?:工程师|开发|负责|程序员|经理|设计师|分析|运维|测试|做|写|用)/u,
      /^(?:私|僕|俺|自分)は.{1,40}(?:です|担当|エンジニア|開発者|初心者|デザイナー)/u,
      /^ich (?:bin (?!mir|nicht sicher|dafür|dagegen|der meinung)|arbeite (?:als|bei|in|an)) ?/iu,
      /^(?:yo )?soy (?!yo|consciente)|^trabajo (?:como|en|de) |^llevo .{2,30} años/iu,
    ],
  },
  {
    cue: "reference",
    type: "reference",
    patterns: [
      new RegExp(`^${NO_ERRAND}.{0,200}${ADDRESS}.{0,80}(?:${PLACE}|when (?:you|we)|if you need)`, "iu"),
      new RegExp(`^${NO_ERRAND}.{0,120}${PLACE}.{0,120}${ADDRESS}`, "iu"),
    ],
  },
  {
    cue: "decision",
    type: "project",
    patterns: [
      /\b(?:we|the team)(?:'ve| have)? (?:decided|agreed|settled on|already use|standardi[sz]ed on|chose)\b|\bthe decision is to\b/iu,
      /^(?:btw,? |fyi,? )?we(?:'re| are) (?:currently )?(?:re-?writ|migrat|mov|switch|replac|dropp|deprecat|sunsett|phas|retir)\w*ing\b.{5,200}\b(?:because|since|as|due to|so that|to)\b/iu,
      /(?:我们)?(?:决定|定了|商量好|约定)(?!吗|没)/u,
      /(?:ことに(?:した|なった|しました|なりました|決まりました)|決めました)/u,
      /\bwir haben (?:uns )?(?:entschieden|beschlossen|geeinigt)\b|\bwir haben .{2,80} (?:entschieden|beschlossen|geeinigt)\b/iu,
      /\bhemos (?:decidido|acordado)\b|\b(?:decidimos|acordamos)\b/iu,
    ],
  },
  {
    cue: "deadline",
    type: "project",
    patterns: [
      new RegExp(`${EVENT}.{0,80}${WHEN}|${WHEN}.{0,80}${EVENT}`, "iu"),
      /^(?:btw,? |by the way,? )?we (?:began|started|finished|completed|shipped|launched|migrated|switched)\b.{0,80}\b(?:ago|last (?:week|month)|yesterday|in (?:january|february|march|april|may|june|july|august|september|october|november|december))\b/iu,
    ],
  },
  {
    cue: "correction",
    type: "feedback",
    patterns: [
      /^(?:(?:no|nope|wrong|stop|actually|that'?s (?:wrong|not right)|please)[,.\s–-]*)*(?:don'?t|do not|stop|never) (?:use|using|add|adding|write|writing|import|call)\b.{1,80}(?:, | - |; |\. )(?:use|instead|prefer)\b/iu,
      /^(?:(?:no|nope|wrong|actually|please)[,.\s–-]*)*(?:(?:don'?t|do not) (?:mock|use|add|commit|push|write|import|edit|touch|delete|remove|install|explain|summari[sz]e|force-push)\b)[^,;]{3,80}[,;] (?:we|it|they|because|since|as|i (?:can|will|hate)|that)\b/iu,
      /^(?:(?:no|nope|wrong|actually|please|that'?s wrong)[,.\s–-]*)*(?:use (?:the )?[^,.]{1,40}(?:,? not |,? instead of |, never )|instead of [^,.]{2,40}, use )/iu,
      /^(?:that'?s (?:wrong|not right)|wrong|nope|forget what i said[^,]{0,40})\s*[,.:–-]+\s*we use\b/iu,
      /^(?:no[,.]? )?(?:please )?(?:stop|quit) (?:summari[sz]ing|adding|using|explaining|apologi[sz]ing|writing|repeating|asking|creating|putting|committing|running)\b/iu,
      /^(?:i|we) (?:prefer|hate|dislike|can'?t stand) /iu,
      /^(?:you (?:keep|always|still) (?:forgetting|forget|ignoring|ignore)|how (?:many times|often) (?:do|must|did) i)\b.{10,}|^i(?:'ve| have)? (?:already )?told you(?: (?:already|before|again|twice|\w+ times))?(?:[,:]| (?:not )?to\b| (?:that )?(?:we|you)\b).{10,}/iu,
      /^du (?:vergisst|ignorierst) (?:immer|ständig|schon wieder|jedes mal)\b.{6,}|^ich hab(?:e)? (?:dir |es )?(?:doch )?(?:schon|bereits) (?:\S+ )?gesagt\b.{10,}/iu,
      /^(?:siempre (?:te )?olvidas|(?:otra vez )?te olvidas|ya te (?:dije|he dicho))\b.{10,}/iu,
      /^你(?:又|总是|老是)(?:忘|不).{2,}|^我(?:已经)?(?:跟你)?说过.{4,}|^また.{0,20}忘れて.{0,20}|^(?:前にも|何度も)言(?:った|って).{4,}/u,
      /^(?:不对|错了|不是)?[，,。]?(?:别用|不要用|不用|别再用).{1,30}(?:用|改用|写|改成|换成)|用.{1,20}(?:，|,)?(?:不要|别)用|应该用.{1,30}(?:而不是|不是)/u,
      /\S{2,}(?:ではなく|じゃなくて|の代わりに)て?.{1,40}(?:使|書|し)/u,
      /^(?:nein|falsch|stopp)?[,.\s–-]*(?:nicht|kein\w*) [^,.]{1,30}, (?:sondern|nimm|nutze|verwende|benutze)\b|^(?:nein[,.\s–-]*)?(?:nimm|nutze|verwende|benutze) [^,.]{1,40} statt\b/iu,
      /^(?:no[,.]? )?no (?:uses|utilices|pongas) .{1,30}, (?:usa|utiliza|pon)\b|^(?:usa|utiliza) .{1,40} (?:en lugar de|en vez de) /iu,
    ],
  },
  {
    cue: "confirmation",
    type: "feedback",
    patterns: [
      /\bkeep (?:doing|using|bundling|writing|putting|splitting|adding|naming|grouping|explaining)\b.{3,}|\bwas the right call\b/iu,
      /\bthat(?:'s| is) (?:exactly )?(?:how|what|the \w+(?: of \w+)?) (?:i|we) (?:want|like|need)\b.{0,40}\b(?:every|each|all|always|in general)\b/iu,
      /^(?!if\b|please\b|just\b).{15,}, (?:so |and |please )?keep it (?:that way|like that)\b/iu,
      /(?:以后|今后|之后)都?(?:按|照|用)这(?:个|种|样)/u,
      /(?:これから|今後)もこの/u,
    ],
  },
  {
    cue: "schedule",
    type: "project",
    patterns: [
      /\b(?:is|are|gets?|runs?|happens?)\b.{0,60}\b(?:every|each) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|night|morning|week|month|weekend|sprint)\b/iu,
      /每(?:周|週|天|日|晚|月|个月|星期)[^，。]{0,12}(?:重建|清空|备份|运行|部署|发布|更新|重启|同步|执行|跑)/u,
      /毎(?:週|日|晩|月|朝)[^、。]{0,20}(?:リセット|再構築|バックアップ|実行|デプロイ|更新|再起動|同期)/u,
      /\bjede[nrms]? (?:woche|nacht|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|monat)\b.{0,60}\b(?:zurückgesetzt|gelöscht|gesichert|neu|geleert|ausgeführt)\b/iu,
      /\bse (?:borra|reinicia|limpia|ejecuta|actualiza|reconstruye)\b.{0,60}\bcada (?:semana|noche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mes|día)\b/iu,
    ],
  },
];

export function weakCue(sentence: string): WeakCue | undefined {
  const found = WEAK.find(({ patterns }) => patterns.some((pattern) => pattern.test(sentence)));
  if (found !== undefined) return { cue: found.cue, type: found.type };
  return choiceOf(sentence) === undefined ? undefined : { cue: "correction", type: "feedback" };
}
