import type { ParentOrder } from "../../model/index.ts";
import { checked, type Format, INCOMPLETE, opened, packed, textOf, unreadable, WRITTEN } from "./codec.ts";
import { isObject, type Member, type Members, NEWER, named } from "./schema.ts";

/** Stands before the name of a member of the intent. */
const OF_INTENT = "intent.";

/** Begins the parts of snapshots that were written before the package was released. */
const UNRELEASED = '{"v":1,"parent":';

/** Parents with the same members: the text of the first, those of its members, and which members differ among them. */
type Alike = Readonly<{
  number: number;
  text: string;
  members: ReadonlyMap<string, string>;
  own: Set<string>;
}>;

/**
 * Returns the text of parents, in their order and exact like {@link encodeParent}. What parents with the same members have in
 * common stands there once: the first of them is in `alike`, with the names of the members in which they differ, and `values`
 * has for each parent the place of that one and its own values. So an opening reads a third of the text, and copies the rest.
 * Throws an InvariantError I53 for a parent that could not be read again.
 */
export function encodeParents(orders: readonly ParentOrder[]): string {
  const byNames = new Map<string, Alike>();
  const rows = orders.map((order) => {
    const members = textsOf(order);
    const names = [...members.keys()].join();
    const alike = byNames.get(names) ?? {
      number: byNames.size,
      text: wholeOf(order),
      members,
      own: new Set(),
    };
    byNames.set(names, alike);
    for (const [name, text] of members) if (text !== alike.members.get(name)) alike.own.add(name);
    return { alike, members };
  });
  const alike = [...byNames.values()].map(
    ({ text, own }) => `{"parent":${text},"own":${JSON.stringify([...own])}}`,
  );
  const values = rows.map(({ alike: { number, own }, members }) =>
    [number, ...[...own].map((name) => members.get(name))].join(),
  );
  return `{"v":${WRITTEN.version},"parents":{"alike":[${alike.join()}],"values":[${values.join()}]}}`;
}

const wholeOf = (order: ParentOrder): string => textOf(WRITTEN.parent, order, nameOf(order), {});

const nameOf =
  ({ orderId }: ParentOrder) =>
  (): string =>
    `parent order ${orderId}`;

/** Returns the text of each member, and of each of the intent. */
function textsOf(order: ParentOrder): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const name = nameOf(order);
  const add = (value: object, prefix: string): void => {
    for (const [key, one] of Object.entries(value)) {
      if (one === undefined) continue;
      const member = memberOf(WRITTEN, prefix + key);
      if (one === order.intent) add(one, OF_INTENT);
      // One that is not known is refused when the whole parent is written.
      else texts.set(prefix + key, member === undefined ? "" : textOf(member.schema, one, name, member));
    }
  };
  add(order, "");
  return texts;
}

const memberOf = ({ parent, intent }: Format, name: string): Member | undefined =>
  name.startsWith(OF_INTENT)
    ? intent.shape?.members.get(name.slice(OF_INTENT.length))
    : parent.shape?.members.get(name);

const NAME = (): string => "a part of a snapshot";

/**
 * Returns the parents in a text. Throws an InvariantError I53 for anything else, including a member or a word that this version
 * does not know.
 */
export function decodeParents(text: string): readonly ParentOrder[] {
  if (text === "" || text.startsWith(UNRELEASED))
    throw unreadable(NAME, "an unreleased version wrote it; the journal without snapshots can be read");
  const { format, value } = opened(text, "parents", NAME);
  const { alike, values } = value;
  if (!Array.isArray(alike) || !Array.isArray(values)) throw unreadable(NAME, INCOMPLETE);
  const firsts = alike.map((one) => firstIn(one, format));
  const orders: ParentOrder[] = [];
  for (let at = 0; at < values.length; ) {
    const place: unknown = values[at++];
    const first = typeof place === "number" ? firsts[place] : undefined;
    if (first === undefined) throw unreadable(NAME, INCOMPLETE);
    const intent = { ...first.order.intent };
    const order = { ...first.order, intent };
    for (const { ofIntent, member } of first.own) {
      const target: Members = ofIntent ? intent : order;
      target[member.name] = checked(member.schema, values[at++], NAME, member.place);
    }
    orders.push(packed(order));
  }
  return orders;
}

type First = Readonly<{
  order: ParentOrder;
  own: readonly Readonly<{ ofIntent: boolean; member: Member }>[];
}>;

function firstIn(value: unknown, format: Format): First {
  const { parent, own: names }: Members = isObject(value) ? value : {};
  if (!isObject(parent) || !Array.isArray(names)) throw unreadable(NAME, INCOMPLETE);
  const own = names.map((name) => {
    const member = memberOf(format, String(name));
    if (member === undefined) throw unreadable(NAME, `it holds the member ${named(String(name))}, ${NEWER}`);
    return { ofIntent: String(name).startsWith(OF_INTENT), member };
  });
  return { order: checked(format.parent, parent, () => `parent order ${String(parent.orderId)}`), own };
}
