import {
  CANCELED_MANAGED_ORDER,
  CANCELED_NATIVE_ORDER,
  CANCELED_ORDER_LIST,
  type CanceledManagedOrderReply,
  type CanceledNativeOrderReply,
  type CanceledOrderListReply,
  MANAGED_ORDER,
  type ManagedOrderReply,
  members,
  NATIVE_ORDER,
  type NativeOrderReply,
  object,
  PLACED_NATIVE_ORDER,
  type Reader,
} from "../../replies/index.ts";

/** A managed or native order. A managed order has `apiManaged: true`, a native order has no such member. */
export type OrderReply = ManagedOrderReply | (NativeOrderReply & { readonly apiManaged?: undefined });

/** What a cancel returns: the order, or the list that was canceled with it. */
export type CanceledOrderReply =
  | (CanceledManagedOrderReply & { readonly orderReports?: undefined })
  | (CanceledNativeOrderReply & { readonly apiManaged?: undefined; readonly orderReports?: undefined })
  | (CanceledOrderListReply & { readonly apiManaged?: undefined });

const isManaged = (value: unknown, at: string): boolean => members(value, at).apiManaged === true;

const readManaged = object(MANAGED_ORDER);
const readNative = object(NATIVE_ORDER);
const readPlacedNative = object(PLACED_NATIVE_ORDER);
const readCanceledManaged = object(CANCELED_MANAGED_ORDER);
const readCanceledNative = object(CANCELED_NATIVE_ORDER);
const readCanceledList = object(CANCELED_ORDER_LIST);

/** Reads an order of either kind. */
export const readOrder: Reader<OrderReply> = (value, at) =>
  isManaged(value, at) ? readManaged(value, at) : readNative(value, at);

/**
 * Reads a placed order. A caller that TypeScript does not check may have sent a plain LIMIT, which is placed as a native
 * order; then the reply is that order.
 */
export const readPlacedOrder: Reader<ManagedOrderReply> = (value, at) =>
  isManaged(value, at)
    ? readManaged(value, at)
    : (readPlacedNative(value, at) as unknown as ManagedOrderReply);

/** Reads what a cancel returns. */
export const readCanceledOrder: Reader<CanceledOrderReply> = (value, at) => {
  if ("orderReports" in members(value, at)) return readCanceledList(value, at);
  return isManaged(value, at) ? readCanceledManaged(value, at) : readCanceledNative(value, at);
};
