import type { Engine } from "../engine/index.ts";
import { CHILD_PREFIX } from "../lifecycle/index.ts";
import type { AccountEvents, NativeOrders } from "../ports/index.ts";

/**
 * Tells the engine of funds that change elsewhere: balances that the host tells of, and fills of native orders. Fills of
 * children it knows itself. Heard from the first moment on, whether or not a stream is ever opened (decision HP).
 */
export function hearFunds(
  parts: Readonly<{
    engine: Pick<Engine, "fundsChanged">;
    native: NativeOrders | undefined;
    accountEvents: AccountEvents | undefined;
  }>,
): void {
  const { engine, native, accountEvents } = parts;
  native?.subscribe(({ order, lastQuantity }) => {
    const isChild = order.clientOrderId.startsWith(CHILD_PREFIX);
    if (lastQuantity !== undefined && !isChild) engine.fundsChanged(order.accountId);
  });
  accountEvents?.subscribe((event) => {
    if ("update" in event) engine.fundsChanged(event.accountId);
  });
}
