import { OrderError } from "../../errors/index.ts";
import { type ResolveSymbol, usualSymbol } from "../../requests/index.ts";
import type { ServiceParts } from "./parts.ts";

/**
 * Reads a request whose symbol is looked up in the catalogue. The host may have withdrawn the instrument of an order that
 * the service has: the request is then read with the symbol that was sent, or else with the one whose usual alias was
 * sent, if `isKnown` finds what it names. Otherwise rejects with the error of the first reading.
 */
export async function readWithCatalogue<T>(
  { instruments }: ServiceParts,
  read: (resolve: ResolveSymbol) => Promise<T>,
  isKnown: (request: T) => Promise<boolean>,
): Promise<T> {
  let unknown: string | undefined;
  try {
    return await read((name) => {
      const instrument = instruments.resolve(name);
      if (instrument === undefined) unknown = name;
      return instrument;
    });
  } catch (error) {
    if (unknown === undefined || !(error instanceof OrderError && error.reason === "BAD_SYMBOL")) throw error;
    for (const symbol of new Set([unknown, usualSymbol(unknown)])) {
      // Of an instrument that it has, the catalogue itself says what it is called.
      if (instruments.find(symbol) !== undefined) continue;
      const request = await read(() => ({ symbol, kind: "liquidity" }));
      if (await isKnown(request)) return request;
    }
    throw error;
  }
}
