import {
  CANCELED_LIST_SHAPE,
  CANCELED_MANAGED_SHAPE,
  type CanceledManagedOrderReply,
  type CanceledOrderListReply,
  MANAGED_SHAPE,
  type ManagedOrderReply,
} from "./managed.ts";
import {
  CANCELED_NATIVE_SHAPE,
  type CanceledNativeOrderReply,
  NATIVE_SHAPE,
  type NativeOrderReply,
  PLACED_NATIVE_SHAPE,
} from "./native.ts";
import { members, object, type Reader } from "./reader.ts";

/** A managed or native order. A managed order has `apiManaged: true`, a native order has no such member. */
export type OrderReply = ManagedOrderReply | (NativeOrderReply & { readonly apiManaged?: undefined });

/** What a cancel returns: the order, or the list that was canceled with it. */
export type CanceledOrderReply =
  | (CanceledManagedOrderReply & { readonly orderReports?: undefined })
  | (CanceledNativeOrderReply & { readonly apiManaged?: undefined; readonly orderReports?: undefined })
  | (CanceledOrderListReply & { readonly apiManaged?: undefined });

const isManaged = (value: unknown, at: string): boolean => members(value, at).apiManaged === true;

/** Reads an order of either kind. */
export const readOrder: Reader<OrderReply> = (value, at) =>
  isManaged(value, at) ? object(MANAGED_SHAPE)(value, at) : object(NATIVE_SHAPE)(value, at);

/**
 * Reads a placed order. A caller that TypeScript does not check may have sent a plain LIMIT, which is placed as a native
 * order; then the reply is that order.
 */
export const readPlacedOrder: Reader<ManagedOrderReply> = (value, at) => {
  if (isManaged(value, at)) return object(MANAGED_SHAPE)(value, at);
  return object(PLACED_NATIVE_SHAPE)(value, at) as unknown as ManagedOrderReply;
};

/** Reads what a cancel returns. */
export const readCanceledOrder: Reader<CanceledOrderReply> = (value, at) => {
  if ("orderReports" in members(value, at)) return object(CANCELED_LIST_SHAPE)(value, at);
  const shape = isManaged(value, at) ? CANCELED_MANAGED_SHAPE : CANCELED_NATIVE_SHAPE;
  return object<CanceledManagedOrderReply | CanceledNativeOrderReply>(shape)(value, at);
};
