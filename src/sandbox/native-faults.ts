import type { NativeOrders } from "../ports/index.ts";

/**
 * Fault of native orders. `fail`: no request about native orders is answered or executed, as if their database were
 * down.
 */
export type NativeFaultMode = "none" | "fail";

/** Native orders with injected faults. */
export type FaultyNative = Readonly<{
  native: NativeOrders;
  setNativeFault: (mode: NativeFaultMode) => void;
}>;

/** Wraps native orders with faults. Children of managed parents still reach the venue. */
export function withNativeFaults(orders: NativeOrders): FaultyNative {
  let mode: NativeFaultMode = "none";
  const { cancelIf } = orders;
  const requested = async <T>(call: () => T | Promise<T>): Promise<T> => {
    if (mode === "fail") throw new Error("an injected fault makes native orders fail");
    return await call();
  };
  return {
    native: {
      isPaperTrade: orders.isPaperTrade,
      place: (placement) => requested(() => orders.place(placement)),
      findRequest: (request) => requested(() => orders.findRequest(request)),
      cancel: (key) => requested(() => orders.cancel(key)),
      ...(cancelIf && {
        cancelIf: (key, restriction) => requested(() => cancelIf.call(orders, key, restriction)),
      }),
      find: (key) => requested(() => orders.find(key)),
      page: (page) => requested(() => orders.page(page)),
      open: (query) => requested(() => orders.open?.(query) ?? []),
      executions: (query) => requested(() => orders.executions(query)),
      subscribe: (listener, missed) => orders.subscribe(listener, missed),
    },
    setNativeFault: (next) => {
      mode = next;
    },
  };
}
