import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import type { Rejection } from "../../src/model/index.ts";
import type { RejectionQuery, Rejections } from "../../src/ports/index.ts";

/** A fresh place for rejections that keeps at least 16 of an account; `written` resolves when nothing waits. */
export type RejectionsPlace = Readonly<{
  rejections: Rejections;
  written: () => Promise<void>;
  remove: () => Promise<void>;
}>;

let made = 0;

/** A rejection of account 1 at time 1,000 with its own id. */
export function rejectionOf(fields: Partial<Rejection> = {}): Rejection {
  return {
    rejectionId: `rejection-${++made}`,
    accountId: 1,
    symbol: "BTC/USD",
    clientOrderId: "mine",
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    price: price("9999999999.99999999"),
    quantity: quantity("999999999999.999999"),
    code: -2010,
    rejectReason: "INSUFFICIENT_BALANCES",
    errorMessage: "Account has insufficient balance for requested action.",
    timeMs: 1_000,
    ...fields,
  };
}

/** Every sentence of the rejections port as tests; each implementation runs them all. */
export function rejectionsSuite(name: string, createPlace: () => RejectionsPlace): void {
  describe(`rejections: ${name}`, () => {
    let place: RejectionsPlace;
    beforeEach(() => {
      place = createPlace();
    });
    afterEach(() => place.remove());
    const listed = async (query: Partial<RejectionQuery> = {}): Promise<readonly Rejection[]> =>
      await place.rejections.list({ accountId: 1, limit: 100, ...query });

    it("a retained rejection is found at once and exactly, including money and text", async () => {
      const whole = rejectionOf({ stopPrice: price("0.00000001"), errorMessage: 'a "b" \\ \n \u2028 é' });
      const bare: Rejection = {
        rejectionId: "bare",
        accountId: 1,
        symbol: "BTC/USD",
        clientOrderId: "bare",
        code: -1013,
        rejectReason: "MIN_NOTIONAL",
        errorMessage: "Filter failure: NOTIONAL",
        timeMs: 1_000,
      };
      place.rejections.retain(whole);
      place.rejections.retain(bare);
      expect(await listed()).toEqual([whole, bare]);
      await place.written();
      expect(await listed()).toEqual([whole, bare]);
    });

    it("lists the newest `limit`, oldest first", async () => {
      const all = Array.from({ length: 5 }, (_, n) => rejectionOf({ clientOrderId: `mine-${n}` }));
      for (const rejection of all) place.rejections.retain(rejection);
      expect(await listed({ limit: 2 })).toEqual(all.slice(3));
      expect(await listed()).toEqual(all);
    });

    it("is narrowed by account, symbol, client id and time, both ends included", async () => {
      const mine = rejectionOf();
      const others = [
        rejectionOf({ accountId: 2 }),
        rejectionOf({ symbol: "ETH/USD", clientOrderId: "Mine", timeMs: 1_001 }),
      ];
      for (const rejection of [mine, ...others]) place.rejections.retain(rejection);
      const ids = async (query: Partial<RejectionQuery>): Promise<unknown> =>
        (await listed(query)).map(({ rejectionId }) => rejectionId);
      const [foreign, ether] = others.map(({ rejectionId }) => rejectionId);
      expect(await ids({})).toEqual([mine.rejectionId, ether]);
      expect(await ids({ accountId: 2 })).toEqual([foreign]);
      expect(await ids({ symbol: "ETH/USD" })).toEqual([ether]);
      expect(await ids({ clientOrderId: "mine" })).toEqual([mine.rejectionId]);
      expect(await ids({ startTimeMs: 1_000, endTimeMs: 1_000 })).toEqual([mine.rejectionId]);
      expect(await ids({ startTimeMs: 1_001 })).toEqual([ether]);
      expect(await ids({ clientOrderId: "Mine", symbol: "BTC/USD" })).toEqual([]);
      await place.written();
      expect(await ids({ clientOrderId: "mine" })).toEqual([mine.rejectionId]);
      expect(await ids({ symbol: "ETH/USD", startTimeMs: 1_001, endTimeMs: 1_001 })).toEqual([ether]);
    });

    it("counts the stored rejections", async () => {
      place.rejections.retain(rejectionOf());
      await place.written();
      expect(place.rejections.counts).toEqual({ retained: 1, lost: 0 });
    });
  });
}
