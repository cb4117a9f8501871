// What `remember` and `forget` say when they did something; a refusal is told as an error instead.
import type { ForgetReply, RememberReply } from "../../domain/service.ts";
import type { Line } from "./line.ts";
import { line, span } from "./line.ts";

export function rememberLines({ outcome, path, file, message }: RememberReply): Line[] {
  if (outcome === "refused") return [];
  return [line(span(message === "" ? `${outcome} ${path ?? file ?? ""}` : message, "good"))];
}

export function forgetLines({ outcome, file, message }: ForgetReply): Line[] {
  if (outcome !== "forgotten") return [];
  return [line(span(message === "" ? `forgotten ${file ?? ""}` : message, "good"))];
}
