import { OrderError } from "../../src/errors/index.ts";
import type { Instrument } from "../../src/model/index.ts";
import type { PlacementContext } from "../../src/requests/index.ts";
import { type Parameters, readFlatJson, readQuery } from "../../src/wire/index.ts";

/** Parameters as a flat JSON body carries them. */
export const json = (fields: Readonly<Record<string, unknown>>): Parameters =>
  rawJson(JSON.stringify(fields));

/** Parameters of a JSON body written by hand. */
export const rawJson = (text: string): Parameters => readFlatJson(new TextEncoder().encode(text));

/** Parameters as a query or form carries them. */
export const query = (fields: Readonly<Record<string, unknown>>): Parameters =>
  readQuery(
    Object.entries(fields)
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
