/** A change of one place of a JSON value: the place, the change, and whether every reader must refuse it. */
export type Mutation = Readonly<{ place: string; change: string; isRefused: boolean; text: string }>;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = { [name: string]: Json };

/** Members with free text; every other text is one of the words of a type. */
const FREE: ReadonlySet<string> = new Set([
  ...[
    "symbol",
    "clientOrderId",
    "listClientOrderId",
    "childId",
    "lastChildId",
    "executionId",
    "amendId",
    "unreplaced",
    "id",
  ],
  ...["by", "why", "detail", "problem", "executions", "invalidReports"],
]);

/** The format that samples show, independent of its reader. */
export type Seen = Readonly<{
  /** Members that occur in every sample of their owner, and those seen as a number beyond the safe integers. */
  isNeeded: (owner: string, name: string) => boolean;
  isWide: (place: string) => boolean;
}>;

/** Kinds that are a member of a list membership, and do not tell one object from another. */
const NO_TAGS: ReadonlySet<string> = new Set(["BRACKET", "OCA"]);

const tagOf = ({ kind }: Members, owner: string): string =>
  typeof kind === "string" && !NO_TAGS.has(kind) ? kind : owner;

const isMembers = (value: Json): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isWideNumber(value);

const isWideNumber = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && typeof value["n"] === "string";

/** Calls `visit` with every value below a place: its owner, its name and a function that replaces it. */
function walk(
  value: Json,
  owner: string,
  visit: (node: Readonly<{ owner: string; name: string; value: Json; put: (other: Json) => void }>) => void,
): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const put = (other: Json): void => void value.splice(index, 1, other);
      visit({ owner, name: "", value: entry, put });
      walk(entry, owner, visit);
    }
  } else if (isMembers(value)) {
    const own = tagOf(value, owner);
    for (const [name, member] of Object.entries(value)) {
      visit({
        owner: own,
        name,
        value: member,
        put: (other) => void Object.assign(value, { [name]: other }),
      });
      walk(member, `${own}.${name}`, visit);
    }
  }
}

/** Every object of a value with its place. */
function objectsOf(value: Json, owner: string): readonly Readonly<{ owner: string; members: Members }>[] {
  if (Array.isArray(value)) return value.flatMap((entry) => objectsOf(entry, owner));
  if (!isMembers(value)) return [];
  const own = tagOf(value, owner);
  const inner = Object.entries(value).flatMap(([name, member]) => objectsOf(member, `${own}.${name}`));
  return [{ owner: own, members: value }, ...inner];
}

/** Reads many samples of one format. */
export function seenIn(samples: readonly Json[], root: string): Seen {
  const objects = samples.flatMap((sample) => objectsOf(sample, root));
  const times = new Map<string, number>();
  const count = (key: string): void => void times.set(key, (times.get(key) ?? 0) + 1);
  for (const { owner, members } of objects) {
    count(owner);
    for (const name of Object.keys(members)) count(`${owner} ${name}`);
  }
  const wide = new Set<string>();
  for (const sample of samples)
    walk(
      sample,
      root,
      ({ owner, name, value }) => void (isWideNumber(value) && wide.add(`${owner} ${name}`)),
    );
  return {
    isNeeded: (owner, name) => times.get(owner) === times.get(`${owner} ${name}`),
    isWide: (place) => wide.has(place),
  };
}

/** Every change of one place of a text `{"v":1,"<root>":...}`. */
export function mutationsOf(text: string, root: string, seen: Seen): readonly Mutation[] {
  const envelope = JSON.parse(text) as Members;
  const sample = envelope[root] ?? null;
  const made: Mutation[] = [];
  const note = (place: string, change: string, isRefused: boolean): void =>
    void made.push({ place, change, isRefused, text: JSON.stringify(envelope) });
  for (const { owner, members } of objectsOf(sample, root)) {
    for (const [name, value] of Object.entries(members)) {
      delete members[name];
      note(`${owner} ${name}`, "removed", seen.isNeeded(owner, name));
      members[name] = value;
    }
    members["noSuchMember"] = 1;
    note(owner, "has one more", true);
    delete members["noSuchMember"];
  }
  walk(sample, root, ({ owner, name, value, put }) => {
    const place = `${owner} ${name}`;
    for (const other of othersOf(value, {
      name: name === "" ? (owner.split(".").at(-1) ?? "") : name,
      place,
      seen,
    })) {
      put(other);
      note(place, `is ${JSON.stringify(other)}`, true);
    }
    put(value);
  });
  return made;
}

/** Values that are invalid in the place of one. */
function othersOf(
  value: Json,
  { name, place, seen }: Readonly<{ name: string; place: string; seen: Seen }>,
): readonly Json[] {
  const none: readonly Json[] = [null, { n: "1e3" }, { n: "1", m: 1 }];
  if (typeof value === "number" || isWideNumber(value)) {
    const wide = seen.isWide(place) ? [] : [{ n: "9007199254740993" }];
    return [...none, ...wide, 0.5, 2 ** 53, "7", true, [7]];
  }
  // A word in the place of a price.
  if (value === "ENTRY") return [...none, "no such word", true];
  if (typeof value === "string")
    return FREE.has(name) ? [...none, 7, true] : [...none, "no such word", 7, true];
  if (typeof value === "boolean") return [...none, "true", 1];
  return Array.isArray(value) ? [...none, {}, "[]", 7] : [...none, [], "{}", 7, true];
}
