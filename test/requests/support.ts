import { expect } from "vitest";
import { OrderError } from "../../src/errors/index.ts";
import type { Instrument, ListIntent, ParentIntent } from "../../src/model/index.ts";
import {
  type ListFields,
  type ListForm,
  listIntent,
  type OrderFields,
  orderIntent,
  type PlacementContext,
  readListPlacement,
  readPlacement,
} from "../../src/requests/index.ts";
import { type Parameters, readFlatJson, readQuery } from "../../src/wire/index.ts";

/** Fields by name, as sent; undefined is not sent. */
export type Fields = Readonly<Record<string, unknown>>;

/** Parameters as a flat JSON body carries them. */
export const json = (fields: Fields): Parameters => rawJson(JSON.stringify(fields));

/** Parameters of a JSON body written by hand. */
export const rawJson = (text: string): Parameters => readFlatJson(new TextEncoder().encode(text));

/** Parameters as a query or form carries them. */
export const query = (fields: Fields): Parameters =>
  readQuery(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join("&"),
  );

const instrument = (symbol: string, kind: Instrument["kind"] = "liquidity"): Instrument => ({
  id: 1,
  symbol,
  aliases: [symbol.replace("/", ""), symbol.replace("/", "-")],
  baseAsset: symbol.split("/")[0] ?? "",
  quoteAsset: "USD",
  name: symbol,
  kind,
  status: "TRADING",
});

const CATALOGUE = [instrument("BTC/USD"), instrument("ETH/USD"), instrument("STETH/USD", "staking")];

/** A small catalogue; ids that are not sent become "generated-" and the field. */
export const context: PlacementContext = {
  resolve: (symbol) => CATALOGUE.find((item) => item.symbol === symbol || item.aliases.includes(symbol)),
  clientId: (field) => `generated-${field}`,
};

/** The OrderError that a call throws, as code, field and the error itself. */
export function refusal(call: () => unknown): Readonly<{ code: number; field?: string; error: OrderError }> {
  try {
    call();
  } catch (error) {
    if (!(error instanceof OrderError)) throw error;
    const { code, field } = error;
    return field === undefined ? { code, error } : { code, field, error };
  }
  throw new Error("nothing was refused");
}

/** The three sources of fields: JSON, a query or form, and in process. */
type Way<T> = (fields: Fields) => T;

const orderWays: readonly Way<ParentIntent>[] = [
  (fields) => readPlacement(json(fields), context).intent,
  (fields) => readPlacement(query(fields), context).intent,
  (fields) => orderIntent(fields as unknown as OrderFields, { clientId: context.clientId }),
];

const listWays = (form: ListForm): readonly Way<ListIntent>[] => [
  (fields) => readListPlacement(form, json(fields), context).list,
  (fields) => readListPlacement(form, query(fields), context).list,
  (fields) => listIntent(form, fields as ListFields[typeof form], { clientId: context.clientId }),
];

/** The common result of all sources. */
function agreed<T>(ways: readonly Way<T>[], fields: Fields): T {
  const [first, ...others] = ways.map((read) => read(fields));
  if (first === undefined) throw new Error("no way to read");
  for (const other of others) expect(other).toEqual(first);
  return first;
}

/** The common refusal of all sources, as code, field and error. */
function agreedRefusal<T>(ways: readonly Way<T>[], fields: Fields): ReturnType<typeof refusal> {
  const [first, ...others] = ways.map((read) => refusal(() => read(fields)));
  if (first === undefined) throw new Error("no way to read");
  for (const { error } of others) expect(error.toBody()).toEqual(first.error.toBody());
  return first;
}

/** The intent of an order, read the same from JSON, from a query and in process. */
export const intentEverywhere = (fields: Fields): ParentIntent => agreed(orderWays, fields);

/** Expects the same refusal of an order from JSON, from a query and in process. */
export const refusedEverywhere = (fields: Fields, code: number, field?: string): OrderError => {
  const refused = agreedRefusal(orderWays, fields);
  expect(refused).toMatchObject(field === undefined ? { code } : { code, field });
  return refused.error;
};

/** The intent of a list, read the same from JSON, from a query and in process. */
export const listEverywhere = (form: ListForm, fields: Fields): ListIntent => agreed(listWays(form), fields);

/** Expects the same refusal of a list from JSON, from a query and in process. */
export const listRefused = (
  form: ListForm,
  fields: Fields,
  [code, field]: readonly [number, string?],
): OrderError => {
  const refused = agreedRefusal(listWays(form), fields);
  expect(refused).toMatchObject(field === undefined ? { code } : { code, field });
  return refused.error;
};
