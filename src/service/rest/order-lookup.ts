import { OrderError } from "../../errors/index.ts";
import type { NativeOrder, ParentOrder, Rejection } from "../../model/index.ts";
import { type AccountKey, managedId, nativeKeyOf } from "./ids.ts";
import type { ServiceParts } from "./parts.ts";

/** The order or rejection that a key names. */
export type FoundOrder =
  | Readonly<{ managed: ParentOrder }>
  | Readonly<{ native: NativeOrder }>
  | Readonly<{ rejection: Rejection }>;

/**
 * Finds the order that a key names. Returns undefined if the account and symbol have no such order. A negative id is a
 * managed parent, a positive id a native order. A client id alone is looked up among managed parents, then current and
 * archived native orders, then persisted executions, and last among retained rejections, so that a rejection never
 * hides an order. Among several matches the newest counts. If two ids are sent, both must name one order (-2039). If
 * the host does not answer, the error is -1001, never "not found".
 * Source: contract, Native status and history; decisions 2 and 5.
 */
export async function findOrder(parts: ServiceParts, key: AccountKey): Promise<FoundOrder | undefined> {
  const { orderId } = key;
  if (orderId !== undefined && orderId > 0n) return await findNative(parts, key);
  const managed = await findManaged(parts, key);
  if (managed !== undefined) return { managed };
  if (orderId !== undefined) return undefined;
  return (await findNative(parts, key)) ?? (await findRejection(parts, key));
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

async function findNative(parts: ServiceParts, key: AccountKey): Promise<FoundOrder | undefined> {
  const { native } = parts;
  if (native === undefined) return undefined;
  const { accountId, symbol } = key;
  const names = nativeKeyOf(key);
  const order =
    (await native.find(names)) ??
    (await native.executions({ ...names, accountId, symbol, limit: 1 })).at(-1)?.order;
  if (order === undefined) return undefined;
  requireSameId(key, order.clientOrderId);
  return { native: order };
}

async function findRejection(
  parts: ServiceParts,
  { accountId, symbol, clientOrderId = "" }: AccountKey,
): Promise<FoundOrder | undefined> {
  const found = await parts.rejections.list({ accountId, symbol, clientOrderId, limit: 1 });
  const rejection = found.at(-1);
  return rejection && { rejection };
}

function requireSameId({ clientOrderId }: AccountKey, found: string): void {
  if (clientOrderId !== undefined && clientOrderId !== found) throw new OrderError("CLIENT_ID_MISMATCH");
}
