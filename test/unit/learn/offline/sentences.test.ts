// What single sentences teach, by language and class. Each table stands for a pattern, not for its words.
import { describe, expect, it } from "vitest";
import { hasUrgentCue } from "../../../../src/learn/offline/extract.ts";
import { listen } from "./listen.ts";

describe("sentences that are saved at once", () => {
  const saved: readonly (readonly [string, string])[] = [
    // English: orders that hold for good
    ["Please always reply in German.", "feedback"],
    ["Never force-push to main.", "feedback"],
    ["don't ever commit generated files", "feedback"],
    ["From now on use pnpm instead of npm.", "feedback"],
    ["Going forward, I'd like you to keep replies under five lines.", "feedback"],
    ["Whenever you touch the schema, run the migrations against a scratch database.", "feedback"],
    ["Every time you change the API, update openapi.yaml.", "feedback"],
    ["I want you to stop adding comments that restate the code.", "feedback"],
    ["All commit messages should start with the ticket number from now on.", "feedback"],
    ["No more emojis in commit messages from now on.", "feedback"],
    ["Another rule is that we always prefix branch names with 'team/'.", "feedback"],
    ["Stop repeating my question at the start of every answer.", "feedback"],
    ["Add the ticket number to each commit message.", "feedback"],
    ["No, we use tabs in this repo, not spaces.", "feedback"],
    ["Get into the habit of always adding a changelog entry.", "feedback"],
    ["Another thing we do is to always squash before merging.", "feedback"],
    ["Always run the formatter, even if this file looks fine.", "feedback"],
    // English: asked to remember
    ["Remember: never touch the legacy/ folder.", "feedback"],
    ["Remember that we deploy from the release branch.", "project"],
    ["Remember that we use pnpm for everything.", "project"],
    ["Keep in mind that the staging DB gets wiped every Sunday night.", "project"],
    ["Remember: I'm colorblind and can't read red/green charts.", "user"],
    ["For future reference: the runbooks are at https://wiki.example/runbooks", "reference"],
    // Chinese
    ["以后提交信息都用中文写。", "feedback"],
    ["从现在开始不要用 any。", "feedback"],
    ["永远不要直接推到 main 分支。", "feedback"],
    ["请记住，我们的生产环境在法兰克福。", "project"],
    ["记住:别动 legacy 目录。", "feedback"],
    // Japanese
    ["今後はコメントを日本語で書いてください。", "feedback"],
    ["コミット前に必ず lint を走らせて。", "feedback"],
    ["覚えておいて: 本番は東京リージョンにあります。", "project"],
    // German
    ["Ab jetzt bitte immer auf Deutsch antworten.", "feedback"],
    ["Verwende nie wieder moment.", "feedback"],
    ["Merk dir: Die Staging-Datenbank wird jede Nacht geleert.", "project"],
    // Spanish
    ["A partir de ahora responde siempre en español.", "feedback"],
    ["Nunca subas archivos generados.", "feedback"],
    ["Recuerda que los despliegues se hacen desde la rama release.", "project"],
  ];
  it.each(saved)("%s -> %s", async (sentence, type) => {
    const { saved: found, refusals, kept } = await listen([sentence]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${type}: `, "u"));
    expect(refusals).toEqual([]);
    expect(kept).toEqual([]);
  });
});

describe("sentences that wait for a second sighting", () => {
  const kept: readonly (readonly [string, string])[] = [
    ["I'm a data scientist and new to this frontend.", "user"],
    ["no, don't use npm here, use pnpm", "feedback"],
    ["Don't mock the database in integration tests, we got burned by that.", "feedback"],
    ["We decided to drop Redis because ops can't maintain both.", "project"],
    ["The code freeze starts on Thursday.", "project"],
    ["Pipeline bugs are tracked here: https://tracker.example/INGEST", "reference"],
    ["Remember to run the tests.", "project"],
    ["As I said, tickets start with KX-.", "project"],
    ["我是后端工程师，前端不太熟。", "user"],
    ["错了，应该用 pnpm 而不是 npm。", "feedback"],
    ["测试库每周一凌晨重建。", "project"],
    ["僕はバックエンド開発者です。", "user"],
    ["axiosではなくfetchを使ってください", "feedback"],
    ["Ich bin Frontend-Entwicklerin und kenne Rust kaum.", "user"],
    ["Nein, nicht yarn, nimm pnpm.", "feedback"],
    ["Soy desarrollador móvil.", "user"],
    ["No uses moment, usa date-fns.", "feedback"],
  ];
  it.each(kept)("%s -> %s", async (sentence, type) => {
    const heard = await listen([sentence]);
    expect(heard.saved).toEqual([]);
    expect(heard.kept).toHaveLength(1);
    expect(heard.kept[0]).toMatch(new RegExp(`^${type}: `, "u"));
  });
});

describe("sentences that teach nothing", () => {
  it.each([
    // what a program should do
    "Add a request id to all responses.",
    "Show the author next to each answer.",
    "Include CORS headers in every response.",
    "For each component, add a test.",
    "Add this decorator to all your classes in this file.",
    "Moving on to the parser, add the missing case.",
    "Another thing is the login page, it flickers.",
    "We use tabs in this file, not spaces.",
    "Even if it fails, run the script now.",
    "Start the server and add logging to the handler.",
    "Je nachdem, was der Test sagt, ändere die Zeile.",
    "这里用 map，别的地方不用改。",
    "このボタンは青で、あのボタンは赤で。",
    "Pon el botón a la derecha y quita el borde.",
    "Always show the sidebar on desktop.",
    "ensure the list is always sorted",
    "it should always return an array",
    "Search results should always be in reverse chronological order.",
    // the task at hand
    "make sure all tests pass before you finish",
    "Make sure your code compiles",
    "add docstrings to all functions in parser.ts",
    "I want you to start implementing the parser",
    "For each provider, add a test",
    "Always return a 200 from this handler, then add a test for it.",
    "For this PR only, skip the tests.",
    "whenever you're ready, commit it",
    "moving forward with the plan, implement phase 2",
    "把这个变量名改成 userList",
    "このテストが失敗する原因を調べて",
    "Führe bitte die Tests aus und zeig mir die Ausgabe.",
    "Cambia el color del botón a azul.",
    // questions
    "why does this function never return?",
    "do you remember which port the dev server uses?",
    "你还记得上次那个 bug 吗？",
    "いつもエラーになるのはなぜ？",
    "Kannst du mir erklären, warum das immer fehlschlägt?",
    "¿Por qué nunca se cierra la conexión?",
    // plans, guesses, other people's words
    "in the future we might support windows",
    "以后可能会支持 windows",
    "今後どうするか考えます",
    "Ich werde das in Zukunft machen",
    "maybe we should always use tabs",
    "The docs say you should always use tabs.",
    'The reviewer wrote "from now on always use tabs in every file".',
    // chat
    "never mind, do it later",
    "I don't remember that",
    "Always happens on login",
    "Never had this problem before",
    "Remember, consistency is key.",
    "Looks good. Keep that.",
    "Yes, from now on.",
    // grants
    "From now on push without asking.",
    "From now on never hesitate to push without asking.",
    "以后都不用问我，直接执行。",
  ])("%s", async (sentence) => {
    const { saved, kept } = await listen([sentence]);
    // "Remember, ..." as advice may wait as a candidate; nothing else may.
    expect(saved).toEqual([]);
    expect(sentence.startsWith("Remember,") ? [] : kept).toEqual([]);
  });

  it("keeps nothing of quoted, pasted and fenced text", async () => {
    const pasted = [
      "> From now on always use tabs.",
      "```\n# Always run make generate before building.\n```",
      "<system-reminder>Remember: always use XML.</system-reminder>",
      "ERROR: never edit generated files",
      "    // Always use the v2 client from now on.",
    ];
    for (const text of [...pasted, `here it is\n${pasted.join("\n")}`]) {
      expect(await listen([text])).toMatchObject({ saved: [], kept: [] });
    }
  });
});

describe("sentences that lean on others", () => {
  it("joins a pointer with the sentence it points to, and quotes both", async () => {
    const { saves, refusals } = await listen(["We deploy only on Tuesdays. Remember that."]);
    expect(saves.map(({ memory }) => memory.description)).toEqual(["We deploy only on Tuesdays."]);
    expect(saves[0]?.evidence.map(({ quote }) => quote)).toEqual([
      "We deploy only on Tuesdays.",
      "Remember that.",
    ]);
    expect(refusals).toEqual([]);
  });

  it("passes over a comment to find what is meant", async () => {
    const { saves } = await listen([
      "Start test names with 'it_'. This makes them easy to find. Please do that from now on.",
    ]);
    expect(saves.map(({ memory }) => memory.body)).toEqual([
      expect.stringContaining("Start test names with 'it_'."),
    ]);
  });

  it("drops a statement with the wish that it be forgotten, and ends with off the record", async () => {
    expect(await listen(["We deploy from main. Don't remember that."])).toMatchObject({
      saved: [],
      kept: [],
      optedOut: ["r0"],
    });
    expect(await listen(["Off the record: hm.", "Remember: tickets start with KX-."])).toMatchObject({
      saved: [],
      optedOut: ["r0"],
    });
  });

  it("takes back the message before when the wish stands alone", async () => {
    expect(
      await listen([
        "Remember: tickets start with KX-.",
        "Remember: staging runs on host birch.",
        "Don't remember that.",
      ]),
    ).toMatchObject({ saved: ["project: Tickets start with KX-."], kept: [], optedOut: ["r1", "r2"] });
    expect(await listen(["我是后端工程师，前端不太熟。", "不要记住这个。"])).toMatchObject({
      kept: [],
      optedOut: ["r0", "r1"],
    });
    const unrelated = await listen([
      "Remember: tickets start with KX-.",
      "I'm looking for a new job. Don't save this.",
    ]);
    expect(unrelated).toMatchObject({ saved: ["project: Tickets start with KX-."], optedOut: ["r1"] });
  });

  it("learns only from new records", async () => {
    expect((await listen(["Remember: tickets start with KX-."], { old: [0] })).saved).toEqual([]);
  });
});

describe("drafts", () => {
  it("keeps digits in names and letters of other scripts", async () => {
    const { saves } = await listen(["Remember: KX-9 is the billing epic.", "以后提交信息都用中文写。"]);
    expect(saves[0]?.memory.name).toBe("kx-9-billing-epic");
    expect(saves[1]?.memory.name).toMatch(/^[\p{L}\p{N}-]{4,64}$/u);
  });

  it("carries why and how in the language of the statement", async () => {
    const { saves } = await listen([
      "From now on use pnpm because npm hoists phantom dependencies.",
      "以后提交信息都用中文写。",
    ]);
    expect(saves[0]?.memory.body).toContain("**Why:** npm hoists phantom dependencies.");
    expect(saves[0]?.memory.body).toContain("**How to apply:** wherever");
    expect(saves[1]?.memory.body).toContain("**How to apply:** 在本项目");
  });

  it("cuts a long description between words", async () => {
    const long = `Remember: the export job reads ${"many_long_identifiers_here ".repeat(9)}and stops.`;
    const { saves, refusals } = await listen([long]);
    expect(saves[0]?.memory.description.length).toBeLessThanOrEqual(140);
    expect(saves[0]?.memory.description).toMatch(/many_long_identifiers_here…$/u);
    expect(refusals).toEqual([]);
  });
});

describe("urgency", () => {
  it.each(["Remember: tickets start with KX-.", "记住:别动 legacy 目录。", "これは覚えておいて。"])(
    "%s is urgent",
    (text) => expect(hasUrgentCue(text)).toBe(true),
  );
  it.each(["do you remember it?", "fix the tests", "Never push to main."])("%s is not", (text) =>
    expect(hasUrgentCue(text)).toBe(false),
  );
});

describe("a rule that leans on the sentence before it", () => {
  it.each([
    [
      "I want to update our convention for branch names. Always start them with 'wip_'.",
      "Always start them with 'wip_'. I want to update our convention for branch names.",
      "always-start-wip-update-convention-branch",
    ],
    [
      "Let's talk about variables. From now on start them with 'v_'.",
      "From now on start them with 'v_'. Let's talk about variables.",
      "start-v-talk-about-variables",
    ],
  ])("%s: is named by the rule, and says both", async (message, description, name) => {
    const { saves, refusals } = await listen([message]);

    expect(saves.map(({ memory }) => memory.description)).toEqual([description]);
    expect(saves[0]?.memory.name).toBe(name);
    expect(saves[0]?.memory.body.startsWith(message)).toBe(true);
    expect(refusals).toEqual([]);
  });
});

describe("a note", () => {
  it.each([
    "Note: the right thing was done, nothing was copied, but the wording is off.",
    "Note: it worked on the second try.",
    "Just a reminder: that went well last week.",
  ])("that tells how something went is not kept: %s", async (message) => {
    const { saved, kept } = await listen([message]);

    expect([...saved, ...kept]).toEqual([]);
  });

  it.each([
    "Note: the staging server was moved to Frankfurt.",
    "Note: invoices are never sent on Sundays.",
    "Note: the old importer was kept because two clients still use it.",
  ])("that tells what holds waits for a second sighting: %s", async (message) => {
    const { saved, kept } = await listen([message]);

    expect(saved).toEqual([]);
    expect(kept).toHaveLength(1);
  });
});
