import { describe, expect, it } from "vitest";
import type { ManagedOrderReply } from "../../../src/client/index.ts";
import { previewAmend } from "../../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import { type OrderFields, orderIntent } from "../../../src/requests/index.ts";
import { changeable, changesOf, changeWords } from "../../../src/sandbox/console/change.ts";
import { levelAt, levelsOf, movedBy } from "../../../src/sandbox/console/levels.ts";
import { managedOrderView } from "../../../src/service/index.ts";
import { NOW, Subject } from "../../lifecycle/support.ts";

const QUOTE = { bid: "100", ask: "101" };
const sell = { symbol: "BTC/USD", side: "SELL", quantity: "1", newClientOrderId: "a" } as const;
const stop = { ...sell, type: "STOP_LOSS_LIMIT", stopPrice: "90.5", price: "89" } as const;
const trail = { ...sell, type: "TRAILING_STOP_MARKET", trailingDelta: 1_000 } as const;

const order = (fields: OrderFields, more: Partial<ParentOrder> = {}): ManagedOrderReply => {
  const view = managedOrderView({ ...new Subject(orderIntent(fields)).order, ...more });
  return {
    ...view,
    orderId: String(view.orderId),
    orderListId: String(view.orderListId),
  } as ManagedOrderReply;
};

const words = (of: ManagedOrderReply, values: Record<string, string>): ReturnType<typeof changeWords> => {
  const changes = changesOf(of, values, NOW);
  return changeWords(of, changes, previewAmend(of, changes, { quote: QUOTE, nowMs: NOW }));
};

describe("a change of an order in the console", () => {
  it("has the fields that the rules let an amend change, and none after the end", () => {
    expect(changeable(order(stop))).toEqual(["quantity", "price", "stopPrice"]);
    expect(changeable(order(trail))).toEqual(["quantity", "trailingDelta"]);
    const ended = { status: "CANCELED", reason: "USER_CANCELED", atMs: NOW } as const;
    expect(changeable(order(stop, { ended }))).toEqual([]);
    expect(changeable({ ...order(stop), type: "NEWER" as never })).toEqual([]);
  });

  it("sends only what was changed, in the form of a request", () => {
    expect(changesOf(order(stop), { quantity: "1", stopPrice: "91", price: "89" }, NOW)).toEqual({
      stopPrice: "91",
    });
    expect(changesOf(order(trail), { quantity: "1", trailingDelta: "500" }, NOW)).toEqual({
      trailingDelta: 500,
    });
    expect(changesOf(order(trail), { trailingDelta: "5x" }, NOW)).toEqual({ trailingDelta: "5x" });
    const ended = order(stop, { ended: { status: "FILLED", reason: "FILLED", atMs: NOW } });
    expect(changesOf(ended, { stopPrice: "91" }, NOW)).toEqual({ stopPrice: "91" });
    const limit = order({ ...sell, type: "SYNTHETIC_LIMIT", price: "110", expireTime: NOW + 9_000 });
    expect(changesOf(limit, { quantity: "1", expireTime: "" }, NOW)).toEqual({});
    expect(changesOf(limit, { expireTime: "5" }, NOW)).toEqual({ expireTime: NOW + 300_000 });
  });

  it("tells old and new values, what the order would do, and why it is refused", () => {
    const waits = words(order(stop), { stopPrice: "95" });
    expect(waits.changed).toEqual([["Stop price", "90.5", "95"]]);
    expect(waits.lines).toEqual(["1 BTC/USD: sells when bid ≤ 95.00, limit 89.00."]);
    expect(waits.isWarning).toBe(false);
    const acts = words(order(stop), { stopPrice: "100" });
    expect([acts.lines.at(-1), acts.isWarning]).toEqual([
      "The market is already at this level or past it: the order would act at once.",
      true,
    ]);
    expect(words({ ...order(trail), triggerLevel: "99" }, { trailingDelta: "500" }).lines[0]).toMatch(
      /now at 104.5/,
    );
    const small = words(order(stop), { quantity: "0.1" }).refusal;
    expect(new Map(small?.details).get("field")).toBe("quantity");
  });
});

describe("a level in the chart", () => {
  it("can be moved if the rules let an amend change its field", () => {
    const moves = levelsOf([order(stop), order(trail)], "BTC/USD", changeable).flatMap(
      (level) => level.moves ?? [],
    );
    expect(moves.map(({ field, text }) => [field, text])).toEqual([
      ["stopPrice", "90.5"],
      ["price", "89"],
    ]);
    expect(levelsOf([order(stop)], "BTC/USD").flatMap((level) => level.moves ?? [])).toEqual([]);
  });

  it("moves by exact ticks of the chart, and stays above zero", () => {
    expect(movedBy("60517.18", -1)).toBe("60517.17");
    expect(movedBy("90071992547.40993", 1)).toBe("90071992547.41993");
    expect(movedBy("0.00001234", 1)).toBe("0.00001235");
    expect(movedBy("0.01", -1_000_000)).toBe("0.000001");
    expect(levelAt(60_517.178_9, "60000")).toBe("60517.18");
    expect(levelAt(60_500, "60000")).toBe("60500");
    expect([levelAt(undefined, "1"), levelAt(-5, "1"), levelAt(1e-9, "60000")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
