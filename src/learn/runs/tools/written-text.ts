// Text a model wrote, made fit to be kept: a body never carries escape sequences or hidden characters to a reader.
import { displayText } from "../../../domain/printable.ts";

/** The same lines and tabs without any other control, direction or invisible character. */
export function printableText(text: string): string {
  return text
    .split(/\r\n?|[\n\u0085\u2028\u2029]/u)
    .map((line) => line.split("\t").map(displayText).join("\t"))
    .join("\n");
}
