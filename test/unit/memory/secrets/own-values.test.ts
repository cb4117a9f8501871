import { describe, expect, it } from "vitest";
import { secretsRule } from "../../../../src/memory/gate/rules/secrets.ts";
import { noteOwnValue, withoutOwnValues } from "../../../../src/memory/secrets/own-values.ts";
import { maskSecrets } from "../../../../src/memory/secrets/scanner.ts";
import { create } from "../gate/proposals.ts";

/** Of no issuer's shape: only its value tells. */
const OWN = ["heron", "moss", 'a"b', 417].join("-");

describe("a key of our own", () => {
  it("is an ordinary word until it is read, and a secret by value then", () => {
    expect(maskSecrets(`it is ${OWN}.`).text).toBe(`it is ${OWN}.`);

    noteOwnValue(OWN);

    expect(maskSecrets(`it is ${OWN}.`)).toEqual({
      text: "it is [secret:own-key].",
      found: new Map([["own-key", 1]]),
    });
    expect(maskSecrets(JSON.stringify({ said: OWN })).text).toBe('{"said":"[secret:own-key]"}');
  });

  it("is refused in a memory, whoever asks", () => {
    noteOwnValue(OWN);

    expect(secretsRule(create(`Use ${OWN} for the gateway.`))).toMatchObject({ reason: "secret" });
  });

  it("leaves JSON that is JSON still", () => {
    noteOwnValue(OWN);

    expect(JSON.parse(withoutOwnValues(JSON.stringify({ [OWN]: [`${OWN}${OWN}`] })))).toEqual({
      "[secret:own-key]": ["[secret:own-key][secret:own-key]"],
    });
  });
});
