// Reads the body of a request up to a bound; holds no more of it than that.
import type { IncomingMessage } from "node:http";
import { AppError } from "../../domain/errors.ts";
import { badRequest } from "./input.ts";

/** Throws `body-too-large` as soon as that is known, and `bad-request` when the client stops in the middle. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const parts: Buffer[] = [];
  let total = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(part)) continue;
      total += part.length;
      if (total > bytesMax) throw tooLarge(bytesMax);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw badRequest("the request ended early", "send all of it");
  }
  return Buffer.concat(parts);
}

function tooLarge(bytesMax: number): AppError {
  return new AppError({
    code: "body-too-large",
    message: `the body has more than ${bytesMax} bytes`,
    fix: "send less",
  });
}
