import { add, formatPrice, notional, price, quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { Side } from "../../model/index.ts";
import type { NativePlacement } from "../../ports/index.ts";
import { holds, same } from "../checks.ts";
import {
  amountOf,
  expectPlaced,
  fillsOf,
  lineOf,
  MARKET,
  type NativeRules,
  nativeOf,
  refusalOf,
} from "./world.ts";

/** Returns a market order of account 1. */
const atMarket = (
  size: Readonly<{ quantity: string }> | Readonly<{ amount: string }>,
  side: Side = "BUY",
): NativePlacement => {
  const { clientOrderId, requestKey } = nativeOf();
  const sized =
    "amount" in size ? { quoteQuantity: notional(size.amount) } : { quantity: quantity(size.quantity) };
  return { ...MARKET, side, type: "MARKET", clientOrderId, requestKey, ...sized };
};

const DECIMAL = /^-?[0-9]{1,20}(\.[0-9]{1,20})?$/;

/** Rules of placing an order. */
export const placing: NativeRules = {
  "a limit away from the market rests, under a positive id, with all that was sent": {
    remedy: "Return the order as it is stored. `isWorking` says whether it is or was on the book.",
    async check({ put }) {
      const { order, fills, created } = await put({ clientOrderId: "mine" });
      holds("orderId of a new order", order.orderId > 0n, "an id above 0", order.orderId);
      same(
        "place of a limit away from the market",
        [lineOf(order), fillsOf(fills), created],
        ["NEW BUY 0/1", [], true],
      );
      const { accountId, symbol, clientOrderId, isWorking, type, timeInForce } = order;
      same(
        "the order in the answer",
        { accountId, symbol, clientOrderId, isWorking, type, timeInForce, price: order.price },
        {
          ...MARKET,
          clientOrderId: "mine",
          isWorking: true,
          type: "LIMIT",
          timeInForce: "GTC",
          price: price("90"),
        },
      );
    },
  },
  "a limit that the market meets is filled at once, at the market's price, on its own side and in its own market":
    {
      remedy: "Answer when the immediate executions are durable, with all of them in `fills`.",
      async check({ put, quote }) {
        const bought = await put({ price: "105" });
        expectPlaced("place of a BUY at 105 in a market at 100 to 101", bought, "FILLED BUY 1/1", "1 at 101");
        const sold = await put({ side: "SELL", price: "95" });
        expectPlaced("place of a SELL at 95 in a market at 100 to 101", sold, "FILLED SELL 1/1", "1 at 100");
        await quote("7", "8", "ETH/USD");
        const other = await put({ symbol: "ETH/USD", price: "9" });
        expectPlaced("place of a BUY at 9 in another market at 7 to 8", other, "FILLED BUY 1/1", "1 at 8");
      },
    },
  "a limit order never executes beyond its price": {
    remedy: "Pass the price on as exact text.",
    async check({ put, quote, orderOf }) {
      const { order } = await put({ price: "100.00000001" });
      await quote("100", "100.00000002");
      const found = await orderOf(order.orderId);
      same("a BUY at 100.00000001 in a market at 100.00000002", found && lineOf(found), "NEW BUY 0/1");
      await quote("100", "100.00000001");
      const filled = await orderOf(order.orderId);
      const text = `a BUY at ${formatPrice(price("100.00000001"))} in a market at the same price`;
      same(text, filled && lineOf(filled), "FILLED BUY 1/1");
      await quote("99.99999998", "101");
      const sold = (await put({ side: "SELL", price: "99.99999999" })).order;
      same("a SELL at 99.99999999 in a market at 99.99999998", lineOf(sold), "NEW SELL 0/1");
      await quote("99.99999999", "101");
      const met = await orderOf(sold.orderId);
      same("a SELL at 99.99999999 in a market at the same price", met && lineOf(met), "FILLED SELL 1/1");
    },
  },
  "prices, quantities and 64-bit ids are exact: whole numbers of steps, and bigint ids": {
    remedy:
      "Read decimal text with `Quantity.parse` and `Price.parse`, and ids with `BigInt`. A number loses digits.",
    async check({ put, quote, orderOf }) {
      const parts = [
        ["1.005", "8.2"],
        ["0.29", "1.00000001"],
        ["0.000001", "90071992.54740993"],
      ] as const;
      for (const [size, at] of parts) {
        await quote("1", at);
        const { order, fills } = await put({ quantity: size, price: at });
        same(`fills of ${size} at ${at}`, fillsOf(fills), [`${size} at ${at}`]);
        const found = await orderOf(order.orderId);
        same(
          "price and quantity of the order",
          [found?.price, found?.executedQuantity],
          [price(at), quantity(size)],
        );
      }
    },
  },
  "executedQuantity is the sum of the fills, and a filled order has all of them": {
    remedy: "Set FILLED and `executedQuantity` in the same step in which the fills are stored.",
    async check({ put, orderOf }) {
      const { order, fills } = await put({ price: "105", quantity: "3" });
      const sum = fills.reduce((total, fill) => add(total, fill.quantity), ZERO_QUANTITY);
      same("the sum of the fills of a filled order", sum, quantity("3"));
      same("executedQuantity in the answer", order.executedQuantity, sum);
      same("the order as it is found", await orderOf(order.orderId), order);
    },
  },
  "an IOC order and a FOK order never rest": {
    remedy: "End what cannot be executed at once as EXPIRED, and return the order in that state.",
    async check({ put, native }) {
      for (const timeInForce of ["IOC", "FOK"] as const) {
        const placed = await put({ timeInForce });
        expectPlaced(`place of a ${timeInForce} away from the market`, placed, "EXPIRED BUY 0/1");
        const canceled = await native.cancel({ ...MARKET, orderId: placed.order.orderId });
        same(`cancel of that ${timeInForce}`, canceled, undefined);
        const met = await put({ timeInForce, price: "105" });
        same(`place of a ${timeInForce} that the market meets`, lineOf(met.order), "FILLED BUY 1/1");
      }
    },
  },
  "a market order is filled at once and has no price": {
    remedy: "Do not invent a limit price for a market order, and do not return one.",
    async check({ native }) {
      for (const [side, at] of [["BUY", "101"] as const, ["SELL", "100"] as const]) {
        const { order, fills } = await native.place(atMarket({ quantity: "2" }, side));
        same(
          `place of a MARKET ${side} of 2`,
          [lineOf(order), fillsOf(fills), order.type, order.price],
          [`FILLED ${side} 2/2`, [`2 at ${at}`], "MARKET", undefined],
        );
      }
    },
  },
  "a market order by amount spends the amount, and its quantity is what the amount yielded": {
    remedy: "Keep `quoteQuantity` as it was sent, and set `quantity` to what was executed.",
    where: { byAmount: true },
    async check({ native }) {
      for (const [side, at, amount] of [["BUY", "101", "202"] as const, ["SELL", "100", "200"] as const]) {
        const { order, fills } = await native.place(atMarket({ amount }, side));
        same(
          `place of a MARKET ${side} for ${amount} USD at ${at}`,
          [lineOf(order), fillsOf(fills), order.quoteQuantity],
          [`FILLED ${side} 2/2`, [`2 at ${at}`], notional(amount)],
        );
      }
    },
  },
  "an order flow that declares no orders by amount refuses them, and nothing of them is left": {
    remedy: "Reject with an OrderError, before anything is stored.",
    where: { byAmount: false },
    async check({ native }) {
      const reason = await refusalOf(native.place(atMarket({ amount: "202" })));
      holds("place of a MARKET BUY for 202 USD", reason !== "nothing was refused", "a refusal", reason);
      same("page after it", await native.page({ ...MARKET, limit: 9 }), []);
    },
  },
  "ids rise in the order of placing, across accounts and markets": {
    remedy: "Draw all ids from one sequence. Pages and scans go by id.",
    async check({ put }) {
      const ids: bigint[] = [];
      for (const fields of [{}, { accountId: 2 }, { symbol: "ETH/USD" }, {}])
        ids.push((await put(fields)).order.orderId);
      const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1));
      same("the orderIds of four orders", ids, [...new Set(sorted)]);
    },
  },
  "I03: the client id of an open order is refused, in any market of the account; other accounts have separate ids":
    {
      remedy:
        'Put a unique key on account and client id of open orders. Reject with `new OrderError("DUPLICATE_ORDER")`.',
      async check({ put, quote }) {
        const clientOrderId = "same";
        await put({ clientOrderId });
        for (const symbol of ["BTC/USD", "ETH/USD"])
          same(
            `place with the client id in ${symbol}`,
            await refusalOf(put({ clientOrderId, symbol })),
            "DUPLICATE_ORDER",
          );
        same("created, for another account", (await put({ clientOrderId, accountId: 2 })).created, true);
        await quote("80", "81");
        const again = await put({ clientOrderId, price: "70" });
        same("created, after the order has been filled", again.created, true);
      },
    },
  "I03: of simultaneous orders under one client id, one is placed": {
    remedy: "Let the unique key decide, not a query before the insert.",
    async check({ put, native }) {
      const copies = Array.from({ length: 20 }, () => refusalOf(put({ clientOrderId: "same" })));
      const placed = (await Promise.all(copies)).filter((reason) => reason === "nothing was refused");
      same("number of orders that were placed", placed.length, 1);
      same("length of the page", (await native.page({ ...MARKET, limit: 9 })).length, 1);
    },
  },
  "an order that the account cannot pay is refused and leaves no trace": {
    remedy: 'Reject with `new OrderError("INSUFFICIENT_BALANCE")`. The service keeps refused orders itself.',
    async check({ put, native }) {
      same("place of 100,000 BTC", await refusalOf(put({ quantity: "100000" })), "INSUFFICIENT_BALANCE");
      same("page after it", await native.page({ ...MARKET, limit: 9 }), []);
      same("executions after it", await native.executions({ accountId: 1, limit: 9 }), []);
    },
  },
  "isPaperTrade is true or false": {
    remedy: "Set it. Every reply about a native order shows it.",
    async check({ native }) {
      const { isPaperTrade } = native;
      holds("isPaperTrade", typeof isPaperTrade === "boolean", "true or false", isPaperTrade);
    },
  },
  "executedNotional is the exact sum of price times quantity of all fills": {
    remedy:
      "Sum with `Notional.of` and `Notional.add`, or leave the member out and declare `notionals: false`.",
    where: { notionals: true },
    async check({ put, quote, orderOf }) {
      await quote("8", "8.20000001");
      const { order, fills } = await put({ quantity: "1.005", price: "9" });
      const found = await orderOf(order.orderId);
      same(`executedNotional of ${fillsOf(fills).join()}`, found?.executedNotional, amountOf(fills));
      const { executedNotional = 0 } = (await put({ price: "2" })).order;
      same("executedNotional of an order without fills", executedNotional, 0);
    },
  },
  "an order flow that declares no executedNotional has none": {
    remedy: "Declare `notionals: true`. Events show an average price from it.",
    where: { notionals: false },
    async check({ put }) {
      const { executedNotional } = (await put({ price: "105" })).order;
      same("executedNotional of a filled order", executedNotional, undefined);
    },
  },
  "every fill has its commission, as decimal text, and the asset of the commission": {
    remedy: "Set `commission` and `commissionAsset` together, also for a commission of 0.",
    where: { commissions: true },
    async check({ put }) {
      const { fills } = await put({ price: "105" });
      for (const { commission = "", commissionAsset = "" } of fills) {
        holds("commission of a fill", DECIMAL.test(commission), "a decimal text", commission);
        holds("commissionAsset of a fill", commissionAsset !== "", "an asset", commissionAsset);
      }
      holds("fills of a filled order", fills.length > 0, "at least one", fills);
    },
  },
  "an order flow that declares no commissions shows none": {
    remedy: "Declare `commissions: true`, or leave both members out.",
    where: { commissions: false },
    async check({ put }) {
      const shown = (await put({ price: "105" })).fills.map(({ commission, commissionAsset }) => [
        commission,
        commissionAsset,
      ]);
      same(
        "commissions of the fills",
        shown,
        shown.map(() => [undefined, undefined]),
      );
    },
  },
};
