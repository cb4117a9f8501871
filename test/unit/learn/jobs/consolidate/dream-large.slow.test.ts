// A dream over a large folder stays within its bounds, whatever the model asks for.
import { expect, it } from "vitest";
import { createTranscript } from "../../../../helpers/claude-transcript.ts";
import { checkLeaks } from "../../../../helpers/leak-check.ts";
import { useScenes } from "../../models/client.ts";
import { answer, call, createDreamWorld } from "./dream-world.ts";

checkLeaks();
const openScene = useScenes();

it("stays within 25 requests on 200 memories and 20 sessions", async () => {
  const scene = createDreamWorld(await openScene());
  const colours = ["red", "blue", "green", "grey", "pink", "gold", "lime", "teal", "mint", "plum"];
  const many = Array.from({ length: 200 }, (_, at) => ({
    file: `reference_shelf_${at}.md`,
    text: `Shelf ${at} holds the ${colours[at % 10] ?? ""} manuals of machine ${at * 7}.`,
    type: "reference" as const,
  }));
  await scene.remember(...many);
  for (let at = 0; at < 20; at += 1) {
    const transcript = createTranscript({ startAt: scene.clock.now() - 3_600_000, firstNumber: at * 10 + 1 });
    scene.session(
      `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`,
      transcript.user(`Look at shelf ${at}.`).assistant("ok"),
    );
  }
  scene.stub.otherwise(
    answer(call("read", { file: "reference_shelf_1.md" }), call("search_sessions", { text: "shelf" })),
  );

  const reply = await scene.dream();

  expect(reply.outcome).toBe("failed");
  expect(scene.stub.requests.length).toBeLessThanOrEqual(25);
});
