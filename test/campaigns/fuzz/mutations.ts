import type { Random } from "../../../src/common/random.ts";
import { CALLERS, LENT, NOBODY, QUIET, SILENT } from "./callers.ts";
import type { Draft, DraftRequest, Field } from "./draft.ts";
import { NAMES, NUMBERS, PLAUSIBLE, STRUCTURES, TEXTS } from "./hostile-values.ts";

/** Changes one part of a request. */
export type Mutation<T> = (request: T, random: Random) => void;

/** One of the fields of a list, or a new one if there is none. */
function one(fields: Field[], random: Random): Field {
  if (fields.length === 0) fields.push({ name: random.pick(NAMES), text: "1", bare: false });
  return random.pick(fields);
}

/** A value that is invalid almost everywhere. */
export function hostileValue(random: Random): Pick<Field, "text" | "bare"> {
  const kind = random.below(4);
  if (kind === 0) return { text: random.pick(STRUCTURES), bare: true };
  return { text: random.pick(kind === 1 ? TEXTS : NUMBERS), bare: kind === 3 };
}

const isPlausible = (name: string): boolean => PLAUSIBLE.some(([known]) => known.test(name));

/** Gives one of the fields another value of its kind, or adds a field that may conflict with the others. */
function contradict(fields: Field[], random: Random): void {
  const changed =
    random.below(3) === 0
      ? { name: random.pick(NAMES.filter(isPlausible)), text: "", bare: false }
      : random.pick(fields);
  const values = PLAUSIBLE.find(([known]) => known.test(changed?.name ?? ""))?.[1];
  if (changed === undefined || values === undefined) return;
  changed.text = random.pick(values);
  const same = fields.findIndex(({ name }) => name === changed.name);
  if (same < 0) fields.push({ ...changed, bare: /^(true|false)$/.test(changed.text) });
  else fields[same] = changed;
}

const accountText = (random: Random): string =>
  String(random.pick([1, 2, LENT, ...QUIET, 99, -1, Number.MAX_SAFE_INTEGER]));

/** Changes of the parameters of one part of a request. */
export const FIELD_MUTATIONS: readonly Mutation<Field[]>[] = [
  ...Array.from({ length: 12 }, () => contradict),
  (fields, random) => void Object.assign(one(fields, random), hostileValue(random)),
  (fields, random) => void Object.assign(one(fields, random), hostileValue(random)),
  (fields, random) => void Object.assign(one(fields, random), { text: random.pick(NUMBERS) }),
  (fields, random) => void fields.splice(random.below(fields.length), 1),
  (fields, random) => void fields.push({ ...one(fields, random) }),
  (fields, random) => void fields.push({ ...one(fields, random), ...hostileValue(random) }),
  (fields, random) => void fields.push({ name: random.pick(NAMES), ...hostileValue(random) }),
  (fields, random) => void fields.push({ name: "account", text: accountText(random), bare: true }),
  (fields, random) => void fields.push({ name: "userId", text: accountText(random), bare: true }),
  (fields, random) => void Object.assign(one(fields, random), { name: random.pick(NAMES) }),
  (fields) => void fields.reverse(),
  (fields, random) => {
    const changed = one(fields, random);
    changed.bare = !changed.bare;
  },
  (fields, random) => {
    const changed = one(fields, random);
    changed.text = `${changed.text}${random.pick(["0", " ", ".0", "000000000", "\u0000", "%20", "'", "é"])}`;
  },
  (fields, random) => {
    const [first, second] = [one(fields, random), one(fields, random)];
    [first.text, second.text] = [second.text, first.text];
  },
  (fields, random) => {
    const changed = one(fields, random);
    changed.name = random.pick([changed.name.toUpperCase(), ` ${changed.name}`, `${changed.name}[]`]);
  },
  (fields, random) => {
    const count = random.pick([20, 200, 1_500]);
    for (let n = 0; n < count; n++) fields.push({ name: `p${n}`, text: "", bare: false });
  },
];

/** Changes of a request by name: its parameters, their places, their spelling, the caller and the target. */
export const DRAFT_MUTATIONS: readonly Mutation<Draft>[] = [
  ...FIELD_MUTATIONS.map(
    (mutate): Mutation<Draft> =>
      (draft, random) =>
        mutate(draft.body.length > 0 && random.below(4) > 0 ? draft.body : draft.query, random),
  ),
  (draft) => void draft.query.push(...draft.body.splice(0)),
  (draft) => void draft.body.push(...draft.query.splice(0)),
  (draft, random) => void draft.query.push({ ...one(draft.body, random) }),
  (draft) => {
    draft.bodyAs = draft.bodyAs === "json" ? "form" : "json";
  },
  (draft, random) => {
    draft.place = random.pick(["header", "query", "form"]);
  },
  (draft, random) => {
    draft.caller = random.pick([...CALLERS, NOBODY]);
  },
];

type Change<V> = (value: V, random: Random) => V;

const onPath =
  (change: Change<string>): Mutation<DraftRequest> =>
  (request, random) => {
    request.path = change(request.path, random);
  };

const onMethod =
  (methods: readonly string[]): Mutation<DraftRequest> =>
  (request, random) => {
    request.method = random.pick(methods);
  };

const onQuery =
  (change: Change<string>): Mutation<DraftRequest> =>
  (request, random) => {
    request.query = change(request.query, random);
  };

const onBody =
  (change: Change<Buffer>): Mutation<DraftRequest> =>
  (request, random) => {
    request.body = change(request.body, random);
  };

const onBodyText = (change: Change<string>): Mutation<DraftRequest> =>
  onBody((body, random) => Buffer.from(change(body.toString("utf8"), random)));

const PATHS = [
  "/api/v3/order",
  "/api/order",
  "/api/v2/order",
  "/api/v3/openOrders",
  "/api/v3/orderList",
  "/api",
  "*",
];
const METHODS = [
  "GET",
  "POST",
  "DELETE",
  "PUT",
  "PATCH",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "QUERY",
  "get",
  "PROPFIND",
];

const PATH_MUTATIONS: readonly Mutation<DraftRequest>[] = [
  onPath((_path, random) => random.pick(PATHS)),
  onPath((path) => `/${path}`),
  onPath((path) => `${path}/`),
  onPath((path) => path.toUpperCase()),
  onPath((path) => path.replace("/api/", "/api/../api/")),
  onPath((path) => path.replace(/.\/./, (text) => text.replace("/", "%2F"))),
  onPath((path) => `http://127.0.0.1${path}`),
  onPath((path) => `${path};x=1`),
  onMethod(METHODS),
  onMethod(["GET", "POST", "DELETE"]),
];

const splitPairs = (query: string): string[] => query.split("&");

/** A query with one place of it changed. */
function spliced(text: string, random: Random, insert: string): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + insert + text.slice(at + random.below(3));
}

const BROKEN = [
  "%",
  "%zz",
  "%f",
  "%00",
  "%0d%0a",
  "%c0%af",
  "%ff",
  "+",
  "%20",
  "&",
  "&&",
  "=",
  "?",
  "#x",
  "{",
  "|",
  "a[]=1&",
];

const QUERY_MUTATIONS: readonly Mutation<DraftRequest>[] = [
  onQuery((query, random) => spliced(query, random, random.pick(BROKEN))),
  onQuery((query, random) => spliced(query, random, random.pick(BROKEN))),
  onQuery((query, random) => spliced(query, random, String.fromCharCode(0x21 + random.below(0xde)))),
  onQuery((query) => splitPairs(query).reverse().join("&")),
  onQuery((query, random) => `${query}&${random.pick(splitPairs(query))}`),
  onQuery((query, random) => {
    const all = splitPairs(query);
    all.splice(random.below(all.length), 1);
    return all.join("&");
  }),
  onQuery((query, random) =>
    query.replace(/[a-z]/g, (letter) =>
      random.below(8) === 0 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
    ),
  ),
  onQuery((query) => query.replace(/%../g, (code) => code.toLowerCase())),
  onQuery((query) => query.replace(/%2F/gi, "/")),
  onQuery((query, random) => `${query}&x=${"y".repeat(random.pick([100, 4_000, 15_000]))}`),
  onQuery((query, random) => `${query}&signature=${"ab".repeat(random.pick([31, 32, 33]))}`),
];

/** A copy of bytes with some of them replaced. */
export function withBytes(bytes: Buffer, random: Random, replace: (old: number) => number): Buffer {
  if (bytes.length === 0) return Buffer.from([random.below(256)]);
  const copy = Buffer.from(bytes);
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(copy.length);
    copy[at] = replace(copy[at] ?? 0);
  }
  return copy;
}

const BODY_MUTATIONS: readonly Mutation<DraftRequest>[] = [
  onBody((body, random) => body.subarray(0, random.below(body.length))),
  onBody((body, random) => withBytes(body, random, (old) => old ^ (1 << random.below(8)))),
  onBody((body, random) => withBytes(body, random, () => random.below(256))),
  onBodyText((text, random) => spliced(text, random, random.pick(STRUCTURES))),
  onBodyText((text, random) => spliced(text, random, random.pick([",", "}", "{", ":", '"', "\\"]))),
  onBodyText((text, random) => text.replace(/:("[^"]*"|[^,}]+)/, () => `:${random.pick(STRUCTURES)}`)),
  onBodyText((_text, random) => {
    const depth = random.pick([2, 33, 8_000]);
    return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  }),
  onBodyText((_text, random) => "[".repeat(random.pick([1, 100, 16_000]))),
  onBody((body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])),
  onBody((body) => Buffer.concat([body, body])),
  onBodyText((text) => `[${text}]`),
  onBodyText((text) => text.replace(/}$/, ",}")),
  onBodyText((text) => text.replaceAll(",", " ,\n\t ")),
  onBodyText((text) =>
    text.replace(/"([a-z])/, (_all, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
  onBody((body, random) => {
    const room = random.pick([32_768, 32_769, 60_000, 400_000]) - body.length;
    return Buffer.concat([body, Buffer.alloc(Math.max(0, room), " ")]);
  }),
  (request) => {
    request.chunked = true;
  },
];

const TYPES = [
  "text/plain",
  "",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded",
  "a, b",
  "multipart/form-data",
];
const JUNK: readonly [string, string][] = [
  ["Content-Encoding", "gzip"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["Expect", "200-ok"],
  ["X-Forwarded-For", "not an address"],
  ["X-Forwarded-For", "::ffff:1.2.3.4, 127.0.0.1"],
  ["Origin", "https://desk.example.com"],
  ["Origin", "null"],
  ["X-Junk", "z".repeat(3_000)],
  ["X-Huge", "z".repeat(17_000)],
  ["Accept-Encoding", "gzip, br"],
  ["Upgrade", "h2c"],
  ["Range", "bytes=0-1"],
  ["__proto__", "x"],
  ["Cookie", "\u00e9\u00ff"],
];

const setHeader = (request: DraftRequest, name: string, value: string): void => {
  request.headers = [...request.headers.filter(([known]) => known !== name), [name, value]];
};

const HEADER_MUTATIONS: readonly Mutation<DraftRequest>[] = [
  (request, random) => void request.headers.push(random.pick(JUNK)),
  (request, random) => void request.headers.push(random.pick(JUNK)),
  (request, random) => setHeader(request, "Content-Type", random.pick(TYPES)),
  (request, random) => {
    if (request.headers.length > 0) request.headers.push(random.pick(request.headers));
  },
  (request) => {
    request.headers = request.headers.map(([name, value]) => [name.toUpperCase(), value]);
  },
  (request, random) => {
    request.headers = request.headers.filter(() => random.below(3) > 0);
  },
  (request) => setHeader(request, "Connection", "close"),
];

/** Changes that keep the signature of a request, whatever it covers. */
export const TEXT_MUTATIONS: readonly Mutation<DraftRequest>[] = [
  ...PATH_MUTATIONS,
  ...QUERY_MUTATIONS,
  ...QUERY_MUTATIONS,
  ...BODY_MUTATIONS,
  ...HEADER_MUTATIONS,
];

const SIGNATURE = /[0-9a-f]{64}/;

/** Replaces the signature, wherever it is. */
function resign(request: DraftRequest, change: (signature: string) => string): void {
  request.query = request.query.replace(SIGNATURE, change);
  request.headers = request.headers.map(([name, value]) => [
    name,
    name === "signature" ? change(value) : value,
  ]);
  request.body = Buffer.from(request.body.toString("latin1").replace(SIGNATURE, change), "latin1");
}

/** Changes of key and signature. */
export const SIGNATURE_MUTATIONS: readonly Mutation<DraftRequest>[] = [
  (request, random) => {
    const at = random.below(64);
    resign(request, (text) => `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`);
  },
  (request) => resign(request, (text) => text.slice(0, 63)),
  (request) => resign(request, (text) => `${text} `),
  (request) => resign(request, (text) => text.toUpperCase()),
  (request) => resign(request, () => ""),
  (request) => resign(request, (text) => Buffer.from(text, "hex").toString("base64")),
  (request, random) =>
    setHeader(request, "X-MBX-APIKEY", random.pick([...SILENT, ...CALLERS, NOBODY]).apiKey),
  (request, random) =>
    setHeader(request, "X-MBX-APIKEY", random.pick(["", "é", "k".repeat(9_000), "a b", "\u0001"])),
  (request) => void request.headers.push(["signature", "00".repeat(32)]),
];
