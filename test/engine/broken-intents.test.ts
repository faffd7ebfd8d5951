import { describe, expect, it } from "vitest";
import { orderIntent } from "../../src/requests/index.ts";
import { OCO } from "../support/list-samples.ts";
import { createWorld, listOf, SYMBOL } from "../support/world.ts";

const FIELDS = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "100" } as const;
const intentOf = (newClientOrderId: string) => orderIntent({ ...FIELDS, newClientOrderId });

describe("decision BX: an intent built by hand that no journal can store", () => {
  const broken = { ...intentOf("broken"), price: 0.5 as never };

  it("is refused alone, with the member named; simultaneous placements are stored", async () => {
    const { engine } = await createWorld();
    const results = await Promise.allSettled([
      engine.place({ accountId: 1, intent: intentOf("before") }),
      engine.place({ accountId: 1, intent: broken }),
      engine.place({ accountId: 2, intent: intentOf("after") }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(String((results[1] as PromiseRejectedResult).reason)).toMatch(
      /I53: the intent of "broken" cannot be written: "price" of an intent/,
    );
    expect(engine.status().system).toBe("normal");
    expect((await engine.verify()).equal).toBe(true);
  });

  it("refuses the whole list of its leg", async () => {
    const { engine } = await createWorld();
    const list = listOf("oco", OCO);
    const [first, ...others] = list.legs;
    if (first === undefined) throw new Error("no leg");
    const legs = [{ ...first, intent: { ...first.intent, quantity: Number.NaN as never } }, ...others];
    await expect(engine.placeList({ accountId: 1, list: { ...list, legs } })).rejects.toThrow(
      /I53.*"quantity"/,
    );
    expect(await engine.openLists({ accountId: 1, limit: 10 })).toEqual([]);
  });
});
