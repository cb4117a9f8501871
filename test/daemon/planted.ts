// Secrets planted in a home and the search for them in everything a run of engramd produced. All are made at run time.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createDraw } from "../unit/memory/secrets/made-up-tokens.ts";

export interface Planted {
  readonly what: string;
  /** What must appear nowhere. */
  readonly value: string;
  /** The words it is told with. */
  readonly said: string;
}

/** `{...}` stands around the secret; `~` is left out, so that no token-shaped text stands here. */
const SAID: readonly (readonly [what: string, said: string])[] = [
  ["password en", "Remember: the staging db password is {<A 4>7-f~ake-<A 6>}. Staging runs on host birch."],
  ["pw en", "Remember that the db pw for the test system is {<A 5>9!<A 6>}."],
  ["password de", "Merke dir: mein Passwort lautet {<A 5>4#<A 6>}."],
  ["password es", "Recuerda: la contraseña es {<A 5>2%<A 6>}."],
  ["password zh", "记住：数据库密码是{<A 5>3@<A 6>}。"],
  ["password ja", "覚えて：パスワードは{<A 5>8?<A 6>}です。"],
  ["password before", "Always use {<A 4>-6<A 4>+<A 3>} as the admin password."],
  ["anthropic", "Remember the api key {s~k-ant-api03-<Ax 93>AA}."],
  ["anthropic login", "The login token is {s~k-ant-oat01-<Ax 93>AA}."],
  ["openai", "OPENAI_API_KEY={s~k-proj-<Ax 74>T3Blbk~FJ<Ax 74>}"],
  ["github", "Always push with {gh~p_<A 36>}, never with ssh."],
  ["github fine", "GITHUB_TOKEN={github_~pat_<A 22>_<A 59>}"],
  ["gitlab", "From now on use {gl~pat-<Ax 20>} for the mirror."],
  ["aws id", "aws_access_key_id = {AK~IA<b32 16>}"],
  ["aws secret", "AWS_SECRET_ACCESS_KEY={<b64 40>}"],
  ["slack", "SLACK={xo~xb-<d 12>-<d 12>-<A 24>}"],
  ["slack hook", "Post to https://hooks.slack.com/services/{T<UN 10>/B<UN 10>/<A 24>} always."],
  ["stripe", "stripe: {s~k_live_<A 24>}"],
  ["google", 'const key = "{AI~za<Ax 35>}";'],
  ["npm", "//registry.npmjs.org/:_authToken={np~m_<A 36>}"],
  ["pypi", "password = {py~pi-AgEIcHlwaS5vcmc<Ax 60>}"],
  ["jwt", "Authorization: Bearer {ey~J<A 30>.ey~J<A 40>.<A 43>}"],
  ["url", "Remember: the database is postgres://shop:{<A 14>}@birch:5432/shop."],
  ["curl", "curl -u ana:{<A 6>5<A 8>} https://birch.example.org"],
  ["huggingface", "hf login --token {h~f_<L 34>}"],
  ["vault", "VAULT_TOKEN={hv~s.<Ax 95>}"],
  ["sendgrid", "mail: {S~G.<Ax 22>.<Ax 43>}"],
  ["twilio", "TWILIO_KEY={S~K<lhex 32>}"],
  ["heroku", "heroku_api_key: {<uuid>}"],
  ["generic", '{"client_secret":"{<A 20>1<A 11>}"}'],
  ["telegram", "telegram_token={<d 9>:A<Ax 34>}"],
  ["kubernetes", "kind: Secret\ndata:\n  dsn: {<b64 32>}"],
  ["private key", "{-----BEGIN PRI~VATE KEY-----\n<b64 64>\n<b64 64>\n<b64 64>\n-----END PRI~VATE KEY-----}"],
  [
    "ssh key",
    "{-----BEGIN OPENSSH PRI~VATE KEY-----\n<b64 70>\n<b64 70>\n-----END OPENSSH PRI~VATE KEY-----}",
  ],
];

export function plant(seed: number): Planted[] {
  return SAID.map(([what, said], index) => {
    const text = createDraw(seed * 100 + index).token(said.replaceAll("~", ""));
    const start = text.lastIndexOf("{");
    const end = text.indexOf("}", start);
    const value = text.slice(start + 1, end);
    return { what, value, said: text.slice(0, start) + value + text.slice(end + 1) };
  });
}

/** As it is, and in every form a program of ours could write it down in. */
function formsOf(value: string): Buffer[] {
  // A key block is found by a line of its body: how its line ends are written differs.
  const core = value.includes("\n") ? (value.split("\n")[1] ?? value) : value;
  const bytes = Buffer.from(core);
  const inBase64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/u, "");
    // Without the letters that neighbours share.
    return encoded.slice(shift === 0 ? 0 : 4, -2);
  });
  const forms = [
    core,
    JSON.stringify(core).slice(1, -1),
    JSON.stringify(JSON.stringify(core).slice(1, -1)).slice(1, -1),
    encodeURIComponent(core),
    bytes.toString("hex"),
    ...inBase64,
    ...inBase64.map((each) => each.replaceAll("+", "-").replaceAll("/", "_")),
  ];
  return [...new Set(forms)].map((form) => Buffer.from(form));
}

export interface Produced {
  readonly where: string;
  readonly bytes: Buffer;
}

/** `what: where` of every secret that stands in something. */
export function leaks(planted: readonly Planted[], produced: readonly Produced[]): string[] {
  return planted.flatMap(({ what, value }) => {
    const forms = formsOf(value);
    return produced
      .filter(({ where, bytes }) =>
        forms.some((form) => bytes.includes(form) || Buffer.from(where).includes(form)),
      )
      .map(({ where }) => `${what}: ${where}`);
  });
}

/** Every file below a folder, with its name; `skip` tells the files of the person, which hold what was said. */
export function filesBelow(folder: string, skip: (path: string) => boolean): Produced[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => !skip(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ where: path, bytes: readFileSync(path) }));
}
