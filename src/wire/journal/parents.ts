import type { ParentOrder } from "../../model/index.ts";
import { checked, type Format, INCOMPLETE, opened, packed, textOf, unreadable, WRITTEN } from "./codec.ts";
import { isObject, type Member, type Members, NEWER, named } from "./schema.ts";

/** Stands before the name of a member of the intent. */
const OF_INTENT = "intent.";

/** Begins the parts of snapshots that were written before the package was released. */
const UNRELEASED = '{"v":1,"parent":';

/** A parent's members and those of its intent, in order: the name of each in a text, and its value. */
type Flat = Readonly<{ order: ParentOrder; names: readonly string[]; values: readonly unknown[] }>;

/** Parents with the same members: the text of the first, and which members differ among them, by their place in it. */
type Alike = Readonly<{ number: number; text: string; first: Flat; own: Map<number, Member> }>;

/**
 * Returns the text of parents, in their order and exact like {@link encodeParent}. What parents with the same members have in
 * common stands there once: the first of them is in `alike`, with the names of the members in which they differ, and `values`
 * has for each parent the place of that one and its own values. So a third of the text is written and read, and the rest is
 * compared and copied. Throws an InvariantError I53 for a parent that could not be read again.
 */
export function encodeParents(orders: readonly ParentOrder[]): string {
  const byNames = new Map<string, Alike>();
  const rows = orders.map((order) => {
    const flat = flatOf(order);
    const names = flat.names.join();
    const alike = byNames.get(names) ?? {
      number: byNames.size,
      text: textOf(WRITTEN.parent, order, nameOf(order), {}),
      first: flat,
      own: new Map(),
    };
    byNames.set(names, alike);
    addOwn(alike, flat);
    return { alike, flat };
  });
  const alike = [...byNames.values()].map(({ text, first, own }) => {
    const names = [...own.keys()].map((at) => first.names[at]);
    return `{"parent":${text},"own":${JSON.stringify(names)}}`;
  });
  const values = rows.map(({ alike: { number, own }, flat }) => {
    const texts: (string | number)[] = [number];
    for (const [at, member] of own) texts.push(memberText(flat, at, member));
    return texts.join();
  });
  return `{"v":${WRITTEN.version},"parents":{"alike":[${alike.join()}],"values":[${values.join()}]}}`;
}

function flatOf(order: ParentOrder): Flat {
  const names: string[] = [];
  const values: unknown[] = [];
  const add = (members: object, prefix: string): void => {
    for (const [name, value] of Object.entries(members)) {
      if (value === undefined) continue;
      if (value === order.intent) {
        add(value, OF_INTENT);
        continue;
      }
      names.push(prefix + name);
      values.push(value);
    }
  };
  add(order, "");
  return { order, names, values };
}

/** Adds the members in which a parent differs from the first of its kind, which was written, so that it has a schema for each. */
function addOwn({ first, own }: Alike, flat: Flat): void {
  for (const [at, value] of flat.values.entries()) {
    if (value === first.values[at] || own.has(at)) continue;
    const member = memberOf(WRITTEN, flat.names[at] as string) as Member;
    const isObject = typeof value === "object";
    if (!isObject || memberText(flat, at, member) !== memberText(first, at, member)) own.set(at, member);
  }
}

const memberText = ({ order, values }: Flat, at: number, member: Member): string =>
  textOf(member.schema, values[at], nameOf(order), member);

const nameOf =
  ({ orderId }: ParentOrder) =>
  (): string =>
    `parent order ${orderId}`;

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
