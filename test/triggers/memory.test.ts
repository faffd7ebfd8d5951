import { describe, expect, it } from "vitest";
import { parsePrice } from "../../src/decimal/index.ts";
import { type LevelCondition, TriggerBook } from "../../src/triggers/index.ts";
import { liveBytes } from "../support/live-heap.ts";

const COUNT = 20_000;

describe("resting orders take little memory", () => {
  it("an order in the trigger book is one flat object: its input is not kept", () => {
    const book = new TriggerBook("BTC/USD");
    const before = liveBytes();
    for (let index = 1; index <= COUNT; index++) {
      const level = parsePrice(`${5_000 + (index % 1_000)}.25`) ?? 0;
      const condition = { direction: "atOrBelow", level } as LevelCondition;
      const [acceptedAtMs, acceptance] = [1_795_000_000_000 + index, index];
      book.add({
        orderId: -256 * index,
        acceptedAtMs,
        acceptance,
        watch: { kind: "level", side: "bid", condition },
      });
    }
    const bytes = (liveBytes() - before) / COUNT;
    expect(book.size).toBe(COUNT);
    // The entry, the boxes of its two large numbers, and its place among the ids of the book.
    expect(bytes).toBeLessThan(210);
  });
});
