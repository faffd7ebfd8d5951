import { OrderError } from "../../errors/index.ts";
import type { ResolveSymbol } from "../../requests/index.ts";
import type { ServiceParts } from "./parts.ts";

/**
 * Reads a request whose symbol is looked up in the catalogue. The host may have withdrawn the instrument of an order that
 * the service has: such an order is named by its canonical symbol, so the request is then read with the symbol that was
 * sent, if `isKnown` finds what it names. Otherwise rejects with the error of the first reading.
 */
export async function readWithCatalogue<T>(
  { instruments }: Pick<ServiceParts, "instruments">,
  read: (resolve: ResolveSymbol) => Promise<T>,
  isKnown: (request: T) => Promise<boolean>,
): Promise<T> {
  try {
    return await read((symbol) => instruments.resolve(symbol));
  } catch (error) {
    if (!(error instanceof OrderError && error.reason === "BAD_SYMBOL")) throw error;
    const request = await read((symbol) => ({ symbol, kind: "liquidity" }));
    if (!(await isKnown(request))) throw error;
    return request;
  }
}
