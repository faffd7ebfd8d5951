import { OrderError } from "../errors/index.ts";
import type { ParentIntent } from "../model/index.ts";
import type { LegNames } from "./list-names.ts";
import { legIntentOf } from "./order-intent.ts";
import type { PlainFields, PlainValue } from "./plain-fields.ts";
import type { NameOf } from "./refusals.ts";

/** A parsed leg: its intent, whether its client id was generated, and the request's names of its fields. */
export type Leg = Readonly<{ intent: ParentIntent; generatedClientId: boolean; nameOf: NameOf }>;

/** The fields of a list as sent, and a generator of client ids for legs without one. */
export type LegSource = Readonly<{
  fields: PlainFields;
  clientId?: ((field: string) => string) | undefined;
}>;

/** The names of the expiry of the whole list. */
const EXPIRY = ["expireTime", "goodTillDate"] as const;

/**
 * Reads the legs of a list in sequence. Throws an OrderError that names a field as the request does: the error of an
 * invalid leg, DUPLICATE_ORDER (-2010) for two legs with the same client id, PARAMETER_NOT_REQUIRED (-1106) for an
 * expiry of the list that no leg uses. Source: contract, List creation rules; decisions 1, 3, 10, 18.
 */
export function readLegs<Part extends string>(
  legs: Readonly<Record<Part, LegNames>>,
  source: LegSource,
): Readonly<Record<Part, Leg>> {
  const drafts = Object.entries<LegNames>(legs).map(
    ([part, leg]) => [part, draftOf(leg, source.fields)] as const,
  );
  const read = drafts.map(([part, draft]) => [part, legOf(draft, source)] as const);
  refuseSameId(read.map(([, leg]) => leg));
  const expiry = EXPIRY.find((name) => source.fields[name] !== undefined);
  if (expiry !== undefined && drafts.every(([, { inherited }]) => inherited.length === 0)) {
    throw new OrderError("PARAMETER_NOT_REQUIRED", { field: expiry });
  }
  return Object.fromEntries(read) as Readonly<Record<Part, Leg>>;
}

/** The fields of one leg under the names of an order. `inherited` lists those taken from the list. */
type LegDraft = Readonly<{ leg: LegNames; fields: PlainFields; inherited: readonly string[] }>;

function draftOf(leg: LegNames, source: PlainFields): LegDraft {
  const fields: Record<string, PlainValue> = {};
  for (const [field, name] of leg.names) {
    const value = source[name];
    if (value !== undefined) fields[field] = value;
  }
  if (leg.impliedType !== undefined) fields.type = leg.impliedType(fields);
  const lacksExpiry = fields.timeInForce === "GTD" && EXPIRY.every((name) => fields[name] === undefined);
  const inherited = lacksExpiry ? EXPIRY.filter((name) => source[name] !== undefined) : [];
  const expiry = inherited.map((name) => [name, source[name]]);
  return { leg, fields: { ...fields, ...Object.fromEntries(expiry) }, inherited };
}

function legOf({ leg, fields, inherited }: LegDraft, { clientId }: LegSource): Leg {
  const nameOf: NameOf = (field) => (inherited.includes(field) ? field : leg.nameOf(field));
  const place = { nameOf, inPair: leg.inPair };
  if (fields.newClientOrderId !== undefined || clientId === undefined) {
    return { intent: legIntentOf(fields, place), generatedClientId: false, nameOf };
  }
  const newClientOrderId = clientId(nameOf("newClientOrderId"));
  return { intent: legIntentOf({ ...fields, newClientOrderId }, place), generatedClientId: true, nameOf };
}

function refuseSameId(legs: readonly Leg[]): void {
  const ids = new Set<string>();
  for (const { intent, nameOf } of legs) {
    const field = nameOf("newClientOrderId");
    if (ids.has(intent.clientOrderId)) throw new OrderError("DUPLICATE_ORDER", { field });
    ids.add(intent.clientOrderId);
  }
}
