// Whose words make a memory: the person's own, and an assistant's proposal only with the person's yes to it.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTranscript, recordIdOf } from "../helpers/claude-transcript.ts";
import type { ModelStub, StubCall } from "../helpers/model-stub.ts";
import { startModelStub } from "../helpers/model-stub.ts";
import type { Story } from "./story.ts";
import { createStory, S1, SHOP } from "./story.ts";

let stub: ModelStub;
let story: Story;

beforeEach(async () => {
  stub = await startModelStub();
  story = createStory();
  story.config({ provider: "local", baseUrl: stub.url, firstStart: { backfillDays: { model: 36_500 } } });
});
afterEach(() => stub.close());

interface Wish {
  readonly file: string;
  readonly type: string;
  readonly text: string;
  readonly quotes: readonly (readonly [record: number, quote: string])[];
}

function write({ file, type, text, quotes }: Wish): StubCall {
  const body = `${text}\n\n**Why:** it was agreed in the session.\n**How to apply:** in this project.`;
  const evidence = quotes.map(([record, quote]) => ({ recordId: recordIdOf(record), quote }));
  const name = file.replace(/\.md$/, "").replaceAll("_", "-");
  return { tool: "write", input: { file, name, description: text, type, body, evidence } };
}

/** The refusals the model was told, in order. */
function errorsIn(at: number): string[] {
  const messages = stub.requests[at]?.body["messages"] as {
    content: { is_error?: boolean; content?: string }[];
  }[];
  return (messages.at(-1)?.content ?? []).flatMap(({ is_error, content }) =>
    is_error === true ? [content ?? ""] : [],
  );
}

describe("an assistant that recommends and enforces", () => {
  const conversation = () =>
    createTranscript({ cwd: SHOP })
      .user("Which state library fits here?")
      .assistant("I recommend Redux Toolkit, and I always enforce 100% coverage.")
      .user("Let me think.")
      .assistant("Great, Redux it is then!")
      .user("We already use Zustand, leave it.")
      .assistant("Fine.");

  const INVENTED: readonly (readonly [string, Wish])[] = [
    [
      "its preference",
      {
        file: "user_redux.md",
        type: "user",
        text: "Prefers Redux Toolkit",
        quotes: [[2, "I recommend Redux Toolkit"]],
      },
    ],
    [
      "its rule",
      {
        file: "feedback_coverage.md",
        type: "feedback",
        text: "Always enforce 100% coverage",
        quotes: [[2, "I always enforce 100% coverage"]],
      },
    ],
    [
      "its agreement with itself",
      {
        file: "project_redux.md",
        type: "project",
        text: "Redux is the state library",
        quotes: [[4, "Great, Redux it is then!"]],
      },
    ],
    [
      "a yes that was none",
      {
        file: "feedback_redux.md",
        type: "feedback",
        text: "Use Redux Toolkit",
        quotes: [
          [2, "I recommend Redux Toolkit"],
          [3, "Let me think."],
        ],
      },
    ],
    [
      "a yes to something else",
      {
        file: "project_redux.md",
        type: "project",
        text: "Redux is the state library",
        quotes: [
          [4, "Great, Redux it is then!"],
          [3, "Let me think."],
        ],
      },
    ],
  ];

  it.each(INVENTED)("does not get %s into memory, whatever the model thinks", async (_what, wish) => {
    story.transcript(SHOP, S1, conversation().text());
    stub.reply({ blocks: [write(wish)] }, { blocks: ["Then not."] });

    const report = await story.sync();

    expect(report.memories.created).toBe(0);
    expect(errorsIn(1)).toHaveLength(1);
    expect(story.topics(SHOP)).toEqual([]);
  });

  it("does not keep the person's own decision from being saved", async () => {
    story.transcript(SHOP, S1, conversation().text());
    const quotes = [[5, "We already use Zustand, leave it."]] as const;
    stub.reply({
      blocks: [
        write({ file: "project_zustand.md", type: "project", text: "Zustand is in use and stays", quotes }),
      ],
    });

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1, refused: [] });
  });
});

describe("a proposal the person says yes to", () => {
  const offer = "Biome; shall I use it from now on?";
  const wish = {
    file: "feedback_biome.md",
    type: "feedback",
    text: "Use Biome as the formatter from now on",
  };

  it("is a memory when both are quoted", async () => {
    const session = createTranscript({ cwd: SHOP })
      .user("Which formatter?")
      .assistant(offer)
      .user("Yes, from now on.");
    story.transcript(SHOP, S1, session.assistant("Good.").text());
    stub.reply({
      blocks: [
        write({
          ...wish,
          quotes: [
            [2, offer],
            [3, "Yes, from now on."],
          ],
        }),
      ],
    });

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1, refused: [] });
  });

  it("is none when only the proposal is quoted; the model is told and can mend it", async () => {
    const session = createTranscript({ cwd: SHOP })
      .user("Which formatter?")
      .assistant(offer)
      .user("Yes, from now on.");
    story.transcript(SHOP, S1, session.assistant("Good.").text());
    stub.reply(
      { blocks: [write({ ...wish, quotes: [[2, offer]] })] },
      {
        blocks: [
          write({
            ...wish,
            quotes: [
              [2, offer],
              [3, "Yes, from now on."],
            ],
          }),
        ],
      },
    );

    const report = await story.sync();

    expect(errorsIn(1)).toHaveLength(1);
    expect(report.memories).toMatchObject({ created: 1, refused: [] });
  });

  it("counts also when the yes comes in a later reading than the proposal", async () => {
    const session = createTranscript({ cwd: SHOP }).user("Which formatter?").assistant(offer);
    story.transcript(SHOP, S1, session.text());
    stub.reply({ blocks: ["Nothing yet."] });
    await story.sync();
    story.transcript(SHOP, S1, session.user("Yes, from now on.").assistant("Good.").text());
    stub.reply({
      blocks: [
        write({
          ...wish,
          quotes: [
            [2, offer],
            [3, "Yes, from now on."],
          ],
        }),
      ],
    });

    const report = await story.sync();

    expect(report.memories).toMatchObject({ created: 1, refused: [] });
  });
});
