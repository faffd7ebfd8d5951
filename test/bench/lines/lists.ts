import type { Engine } from "../../../src/engine/index.ts";
import type { ListIntent } from "../../../src/model/index.ts";
import { listIntent } from "../../../src/requests/index.ts";
import { SYMBOL } from "../../support/world.ts";
import { accountIn, intentsOf, openOnSqlite, placeAll, stopIntent } from "../bench-engine.ts";
import type { Line } from "../line.ts";
import { metered } from "../metered.ts";

const LISTS = 5_000;
const IN_FLIGHT = 512;

let named = 0;

function otoco(): ListIntent {
  const n = ++named;
  return listIntent("otoco", {
    symbol: SYMBOL,
    listClientOrderId: `bench-list-${n}`,
    workingType: "LIMIT",
    workingSide: "BUY",
    workingQuantity: "0.125",
    workingPrice: `${4_000 + (n % 1_000)}.25`,
    workingClientOrderId: `bench-entry-${n}`,
    pendingSide: "SELL",
    pendingQuantity: "0.125",
    pendingAboveType: "LIMIT",
    pendingAbovePrice: "9000",
    pendingAboveClientOrderId: `bench-profit-${n}`,
    pendingBelowType: "STOP_LOSS",
    pendingBelowStopPrice: "3000",
    pendingBelowClientOrderId: `bench-stop-${n}`,
  });
}

async function placeLists(engine: Engine, lists: readonly ListIntent[]): Promise<void> {
  for (let from = 0; from < lists.length; from += IN_FLIGHT) {
    const together = lists.slice(from, from + IN_FLIGHT);
    await Promise.all(
      together.map((list, k) => engine.placeList({ accountId: accountIn((from + k) % 64), list })),
    );
  }
}

/** Compares lists of three legs with the same number of single parents, on one store. */
export const lists: Line = {
  work: "durable OTOCO lists (3 legs each), SQLite, 512 in flight",
  unit: "legs",
  timedBy: "clock",
  peer: "single parents",
  target: "none",
  reached: () => true,
  async open({ of }) {
    const { engine, close } = await openOnSqlite();
    const count = of(LISTS);
    return {
      async take() {
        const made = Array.from({ length: count }, otoco);
        const singles = intentsOf(3 * count, () => stopIntent());
        return {
          ours: await metered(3 * count, () => placeLists(engine, made)),
          peer: await metered(3 * count, () => placeAll(engine, singles, { inFlight: IN_FLIGHT })),
        };
      },
      close,
    };
  },
};
