import { describe, expect, it } from "vitest";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { OrderList } from "../../src/model/index.ts";
import { legOf, OCO, OTOCO, storyOf } from "../support/list-samples.ts";
import { createMortalWorld, type MortalWorld } from "../support/mortal-world.ts";
import { fillOf, priceInside, reported } from "../support/scripted-venue.ts";
import { lineOf, listOf } from "../support/world.ts";

/** The venue executes at most 0.6 of a child at once. */
const open = (dieAt: number): Promise<MortalWorld> =>
  createMortalWorld({
    dieAt,
    settings: { snapshotEvery: 2 },
    answer: (child) => {
      const size = formatQuantity(child.quantity) === "1" ? "0.6" : formatQuantity(child.quantity);
      return reported(child.childId, "closed", [fillOf({ quantity: size, price: priceInside(child) })]);
    },
  });

async function placed(mortal: MortalWorld, form: "otoco" | "oco"): Promise<OrderList> {
  const list =
    form === "oco"
      ? listOf("oco", { ...OCO, listClientOrderId: "trade" })
      : listOf("otoco", { ...OTOCO, listClientOrderId: "trade" });
  const { world, attempt } = mortal;
  const place = () => world.engine.placeList({ accountId: 1, list });
  await attempt(place);
  return (await place()).list;
}

/** Quotes that fill the entry, then meet the limit of the exit, until the list is done. */
async function traded(mortal: MortalWorld, list: OrderList): Promise<readonly string[]> {
  const { world, quote, pass } = mortal;
  for (let round = 0; round < 40; round++) {
    const [first, ...others] = (await world.list(list)).legs;
    const isOut = [first, ...others].every((leg) => leg?.ended !== undefined);
    if (isOut) break;
    const entering = first?.list?.role === "working" && first.ended === undefined;
    await (entering ? quote("99", "100") : quote("110", "111"));
    await pass(1_000);
  }
  return (await world.list(list)).legs.map(lineOf);
}

describe.each(["otoco", "oco"] as const)("I01, I20, I21, I40, I41: %s", (form) => {
  it("a crash at any point does not change the trades", async () => {
    const whole = await open(0);
    const ends = await traded(whole, await placed(whole, form));
    expect(ends).toEqual(
      form === "oco"
        ? ["CANCELED CANCELED", "FILLED FILLED"]
        : ["FILLED FILLED", "CANCELED CANCELED", "FILLED FILLED"],
    );
    expect(new Set(whole.points).size).toBe(10);
    for (let dieAt = 1; dieAt <= whole.points.length; dieAt++) {
      const mortal = await open(dieAt);
      const list = await placed(mortal, form);
      const at = `dies at ${dieAt}: ${whole.points[dieAt - 1]}`;
      expect([at, ...(await traded(mortal, list))]).toEqual([at, ...ends]);
      const { world } = mortal;
      for (const leg of list.legs) {
        const size = leg.list?.role === "protective" ? "0" : "1";
        expect([at, leg.list?.role, await world.executed(leg)]).toEqual([at, leg.list?.role, size]);
      }
      const story = (await storyOf(world, list)).join(" | ");
      expect([at, story.match(/RELEASED/g)?.length]).toEqual([at, form === "oco" ? undefined : 2]);
      expect([at, story.match(/OCO_TRIGGER/g)?.length]).toEqual([at, 1]);
      expect(story.indexOf("OCO_TRIGGER")).toBeLessThan(story.lastIndexOf("profit: CHILD_INTENDED"));
      const profit = world.venue.submitted.filter(
        ({ parentOrderId }) => parentOrderId === legOf(list, "profit").orderId,
      );
      expect([at, profit.length]).toEqual([at, 2]);
      expect((await world.engine.verify()).equal, at).toBe(true);
    }
  });
});
