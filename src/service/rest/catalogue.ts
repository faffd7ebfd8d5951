import { OrderError } from "../../errors/index.ts";
import { type Actor, type ResolveSymbol, usualSymbol } from "../../requests/index.ts";
import { accountOf } from "../access/ownership.ts";
import type { ServiceParts, SignedCall } from "./parts.ts";

/** A request with the account that it is about. */
type OfAccount<T> = T & Readonly<{ accountId: number }>;

/**
 * Reads a request whose symbol is looked up in the catalogue, with the account that it is about. The host may have withdrawn
 * the instrument of an order that the service has: the request is then read with the symbol that was sent, or else with the
 * one whose usual alias was sent, if `isKnown` finds what it names. Otherwise rejects with the error of the first reading.
 */
export async function readWithCatalogue<T extends Actor>(
  parts: ServiceParts,
  call: SignedCall,
  read: (resolve: ResolveSymbol) => T,
  isKnown: (request: OfAccount<T>) => Promise<boolean>,
): Promise<OfAccount<T>> {
  const { instruments } = parts;
  const readWith = async (resolve: ResolveSymbol): Promise<OfAccount<T>> => {
    const request = read(resolve);
    return { ...request, accountId: await accountOf(parts, call, request) };
  };
  let unknown: string | undefined;
  try {
    return await readWith((name) => {
      const instrument = instruments.resolve(name);
      if (instrument === undefined) unknown = name;
      return instrument;
    });
  } catch (error) {
    if (unknown === undefined || !(error instanceof OrderError && error.reason === "BAD_SYMBOL")) throw error;
    for (const symbol of new Set([unknown, usualSymbol(unknown)])) {
      // Of an instrument that it has, the catalogue itself says what it is called.
      if (instruments.find(symbol) !== undefined) continue;
      const request = await readWith(() => ({ symbol, kind: "liquidity" }));
      if (await isKnown(request)) return request;
    }
    throw error;
  }
}
