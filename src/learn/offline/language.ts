// Which of the five supported languages a sentence is in: decides the words we add ourselves. Pure.

export type Language = "en" | "zh" | "ja" | "de" | "es";

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HAN = /\p{Script=Han}/u;
const GERMAN =
  /\b(?:der|die|das|und|ist|nicht|wir|ich|bitte|immer|nie|ein|eine|einen|mit|auf|für|zu|im|den|dem|dass|ab|kein|keine|keinen|nur|statt|sich|dir|vor|heute|morgen|haben|sind|wird|jetzt|wieder|mehr|aber|unsere?)\b|[äöß]/giu;
const SPANISH =
  /\b(?:el|la|los|las|que|con|por|para|una|un|siempre|nunca|no|en|del|es|se|usa|usamos|solo|ahora|hace|semanas?|hoy|ayer|hemos|nuestr[oa]s?|pero|como|ya|soy|trabajo|usar)\b|[ñ¿¡áíóú]/giu;
const ENGLISH =
  /\b(?:the|and|is|are|we|you|i|to|of|in|for|on|always|never|use|not|with|don't|our|my|that|it|from|be|should)\b/giu;

/** The language of a sentence; English where nothing tells. */
export function languageOf(text: string): Language {
  if (KANA.test(text)) return "ja";
  if (HAN.test(text)) return "zh";
  const german = count(text, GERMAN);
  const spanish = count(text, SPANISH);
  const english = count(text, ENGLISH);
  if (german > english && german >= spanish) return "de";
  return spanish > english ? "es" : "en";
}

function count(text: string, words: RegExp): number {
  return (text.match(words) ?? []).length;
}
