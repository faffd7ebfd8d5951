import { follow } from "../../common/index.ts";
import { normalise } from "../../decimal/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { NativeOrder, ParentOrder, Rejection } from "../../model/index.ts";
import type { Awaitable, NativeKey } from "../../ports/index.ts";
import { type Actor, type OrderKey, type ResolveSymbol, usualSymbol } from "../../requests/index.ts";
import { derivedClientId } from "../../signing/index.ts";
import { accountOf } from "../access/ownership.ts";
import type { ServiceParts, SignedCall } from "./parts.ts";

/** A request with the account that it is about. */
type OfAccount<T> = T & Readonly<{ accountId: number }>;

/**
 * Reads a request whose symbol is looked up in the catalogue, with the account that it is about. The host may have withdrawn
 * the instrument of an order that the service has: the request is then read with the symbol that was sent, or else with the
 * one whose usual alias was sent, if `isKnown` finds what it names. Otherwise fails with the error of the first reading.
 */
export function readWithCatalogue<T extends Actor>(
  parts: ServiceParts,
  call: SignedCall,
  read: (resolve: ResolveSymbol) => T,
  isKnown: (request: OfAccount<T>) => Promise<boolean>,
): Awaitable<OfAccount<T>> {
  const { instruments } = parts;
  const readWith = (resolve: ResolveSymbol): Awaitable<OfAccount<T>> => {
    const request = read(resolve);
    return follow(accountOf(parts, call, request), (accountId) => ({ ...request, accountId }));
  };
  let unknown: string | undefined;
  try {
    return readWith((name) => {
      const instrument = instruments.resolve(name);
      if (instrument === undefined) unknown = name;
      return instrument;
    });
  } catch (error) {
    if (unknown === undefined || !(error instanceof OrderError && error.reason === "BAD_SYMBOL")) throw error;
    return readWithdrawn(unknown, error);
  }

  async function readWithdrawn(name: string, error: OrderError): Promise<OfAccount<T>> {
    for (const symbol of new Set([name, usualSymbol(name)])) {
      // Of an instrument that it has, the catalogue itself says what it is called.
      if (instruments.find(symbol) !== undefined) continue;
      const request = await readWith(() => ({ symbol, kind: "liquidity" }));
      if (await isKnown(request)) return request;
    }
    throw error;
  }
}

/**
 * Returns a function that derives a client id for each field that a call leaves out. The same signed bytes always give the
 * same ids.
 */
export function clientIdsOf({ key, signature }: SignedCall): (field: string) => string {
  return (field) => derivedClientId({ apiKey: key.apiKey, signature, field });
}

/**
 * Converts an id from a request to the id of a managed order or list. Returns undefined if it cannot be one: managed
 * ids are negative safe integers.
 */
export function managedId(id: bigint): number | undefined {
  const value = normalise(id);
  return typeof value === "number" && value < 0 ? value : undefined;
}

/** An order key with the account that the call is about. */
export type AccountKey = Pick<OrderKey, "symbol" | "orderId" | "clientOrderId"> &
  Readonly<{ accountId: number }>;

/** Returns the key under which a native order is looked up: the numeric id if there is one, else the client id. */
export function nativeKeyOf({ accountId, symbol, orderId, clientOrderId = "" }: AccountKey): NativeKey {
  return orderId === undefined ? { accountId, symbol, clientOrderId } : { accountId, symbol, orderId };
}

/** The order or rejection that a key names. */
export type FoundOrder = ParentOrder | NativeOrder | Rejection;

/**
 * Finds the order that a key names. Returns undefined if the account and symbol have no such order. A negative id is a
 * managed parent, a positive id a native order. A client id alone is looked up among managed parents, then current and
 * archived native orders, then persisted executions, and last among retained rejections, so that a rejection never hides an
 * order. Among several matches the newest counts. If two ids are sent, both must name one order (-2039). If the host does
 * not answer, the error is -1001, never "not found". Source: contract, Native status and history.
 */
export async function findOrder(parts: ServiceParts, key: AccountKey): Promise<FoundOrder | undefined> {
  const { orderId } = key;
  if (orderId !== undefined && orderId > 0n) return await findNative(parts, key);
  const managed = await findManaged(parts, key);
  if (managed !== undefined || orderId !== undefined) return managed;
  const { accountId, symbol, clientOrderId = "" } = key;
  return (
    (await findNative(parts, key)) ??
    (await parts.rejections.list({ accountId, symbol, clientOrderId, limit: 1 })).at(-1)
  );
}

/** Finds the managed order that a negative id, a client id or both name. */
export async function findManaged(
  { engine }: ServiceParts,
  key: AccountKey,
): Promise<ParentOrder | undefined> {
  const { accountId, symbol, clientOrderId } = key;
  const orderId = key.orderId === undefined ? undefined : managedId(key.orderId);
  if (orderId === undefined && (key.orderId !== undefined || clientOrderId === undefined)) return undefined;
  const order = await engine.find(
    orderId === undefined ? { accountId, clientOrderId: clientOrderId ?? "" } : { accountId, orderId },
  );
  if (order?.intent.symbol !== symbol) return undefined;
  requireSameId(key, order.intent.clientOrderId);
  return order;
}

async function findNative({ native }: ServiceParts, key: AccountKey): Promise<NativeOrder | undefined> {
  if (native === undefined) return undefined;
  const { accountId, symbol } = key;
  const names = nativeKeyOf(key);
  const order =
    (await native.find(names)) ??
    (await native.executions({ ...names, accountId, symbol, limit: 1 })).at(-1)?.order;
  if (order !== undefined) requireSameId(key, order.clientOrderId);
  return order;
}

function requireSameId({ clientOrderId }: AccountKey, found: string): void {
  if (clientOrderId !== undefined && clientOrderId !== found) throw new OrderError("CLIENT_ID_MISMATCH");
}
