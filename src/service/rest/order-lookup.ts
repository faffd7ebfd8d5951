import { OrderError } from "../../errors/index.ts";
import type { NativeOrder, ParentOrder, Rejection } from "../../model/index.ts";
import { type AccountKey, managedId, nativeKeyOf } from "./ids.ts";
import type { ServiceParts } from "./parts.ts";

/** What a key names. */
export type FoundOrder =
  | Readonly<{ managed: ParentOrder }>
  | Readonly<{ native: NativeOrder }>
  | Readonly<{ rejection: Rejection }>;

/**
 * The order that a key names; undefined when there is none of that account and symbol. A negative id is a managed
 * parent's, a positive one a native order's. A client id alone is looked for among managed parents, then among current
 * and archived native orders, on a miss there in the persisted executions, at last among the retained rejections, so
 * that a refusal never stands before an order; of several the newest counts. Two ids must name one order (-2039). A
 * host that fails to answer is -1001, never "not found".
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

/** The managed order that a negative id, a client id or both name. */
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
  demandSameId(key, order.intent.clientOrderId);
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
  demandSameId(key, order.clientOrderId);
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

function demandSameId({ clientOrderId }: AccountKey, found: string): void {
  if (clientOrderId !== undefined && clientOrderId !== found) throw new OrderError("CLIENT_ID_MISMATCH");
}
