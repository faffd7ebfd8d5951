import { describe, expect, it } from "vitest";
import { price } from "../../../src/decimal/index.ts";
import { managedIdOf } from "../../../src/lifecycle/index.ts";
import type { Cause, Fact, MarketMark, QuoteStamp } from "../../../src/model/index.ts";
import { orderIntent } from "../../../src/requests/index.ts";
import { Ledger } from "../../world/clients/ledger.ts";
import { Instance } from "../../world/instance.ts";
import { Triggers } from "../../world/invariants/triggers.ts";
import { JournalBook } from "../../world/journal-book.ts";
import { Situations } from "../../world/situations.ts";

const SYMBOL = "BTC/USD";
const ORDER = managedIdOf({ count: 1, shard: 0 });
const INTENT = orderIntent({
  symbol: SYMBOL,
  side: "SELL",
  type: "TRAILING_STOP_MARKET",
  quantity: "1",
  trailingAmount: "5",
  newClientOrderId: "trail",
});

/** A journal of one trailing order for the checks of a world, and one process that writes it. */
function checkedJournal(): Readonly<{
  broken: readonly string[];
  /** The process counts a quote with this bid. */
  quote: (bid: string, timeMs: number) => QuoteStamp;
  /** A record of one fact becomes durable, with marks of these bids. */
  append: (fact: Fact | undefined, cause: Cause, marks?: readonly MarketMark[]) => void;
}> {
  const broken: string[] = [];
  const demand = (holds: boolean, invariant: string): void => void (holds || broken.push(invariant));
  const journal: JournalBook = new JournalBook(demand, [(seen) => triggers.check(seen)]);
  const ledger = new Ledger();
  const triggers = new Triggers({ requireThat: demand, situations: new Situations(), journal, ledger });
  const instance = new Instance(1, 0);
  instance.holdings.take(0, 0);
  let quotes = 0;
  let records = 0;
  return {
    broken,
    quote(bid, timeMs) {
      const [bidPrice, ask] = [price(bid), price("500")];
      instance.markets.counted({ symbol: SYMBOL, bid: bidPrice, ask, bids: [], asks: [], timeMs }, timeMs);
      return { symbol: SYMBOL, bid: bidPrice, ask, timeMs, sequence: ++quotes };
    },
    append(fact, cause, marks = []) {
      const previous = records;
      const changes = [{ orderId: ORDER, previous, facts: fact === undefined ? [] : [fact] }];
      const record = { shard: 0, sequence: previous + 1, timeMs: 0, cause, changes };
      const stored = fact === undefined ? [] : [record];
      records += stored.length;
      const part = { shard: 0, epoch: 1, round: 0, records: stored, ended: [], marks };
      journal.take({ shards: [part] }, ["durable"], instance);
    },
  };
}

const markOf = (position: number, { bid, timeMs }: QuoteStamp): MarketMark => ({
  shard: 0,
  symbol: SYMBOL,
  side: "bid",
  position,
  price: bid,
  timeMs,
});

describe("the check of a trailing reference in a world", () => {
  /**
   * The order is active from 100; the quote at 94 fires it, and is reported before or after the reference moves to 110.
   */
  const broken = (movesFirst: boolean, backMs: number, reference: string): readonly string[] => {
    const world = checkedJournal();
    world.append({ kind: "ACCEPTED", accountId: 1, intent: INTENT, acceptance: 1 }, { kind: "PLACE" });
    const first = world.quote("100", 10_000);
    const activation = { position: 1, seed: price("100") };
    world.append({ kind: "ACTIVATED", activation }, { kind: "QUOTE", quote: first }, [markOf(1, first)]);
    const bids = movesFirst ? ["110", "94"] : ["94", "110"];
    const quotes = bids.map((bid, index) => world.quote(bid, 10_000 + index - backMs * index));
    const [fires, moves] = movesFirst ? quotes.toReversed() : quotes;
    if (fires === undefined || moves === undefined) throw new Error("there are two");
    world.append(undefined, { kind: "PLACE" }, [markOf(2, moves)]);
    const trigger = { level: price("95"), observed: price("94"), reference: price(reference), atMs: 0 };
    world.append({ kind: "TRIGGERED", trigger }, { kind: "QUOTE", quote: fires });
    return world.broken;
  };

  it.each([0, 3_600_000])(
    "I31: requires a move on an earlier quote, the wall clock %i ms back or not",
    (backMs) => {
      expect(broken(true, backMs, "110")).toEqual([]);
      expect(broken(true, backMs, "100")).toEqual(["I31"]);
    },
  );

  it.each([0, 3_600_000])(
    "I31: does not require a move on a later quote, the wall clock %i ms back",
    (backMs) => {
      expect(broken(false, backMs, "100")).toEqual([]);
      expect(broken(false, backMs, "111")).toEqual(["I31"]);
    },
  );
});
