import { expect, it } from "vitest";
import type { ParentOrder } from "../../src/model/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { createMortalWorld, type MortalWorld } from "../support/mortal-world.ts";
import { filled } from "../support/scripted-venue.ts";
import { SYMBOL } from "../support/world.ts";

/** Half of the executed volume, until 1.2 is filled. */
const INTENT = orderIntent({
  symbol: SYMBOL,
  side: "BUY",
  type: "POV",
  quantity: "1.2",
  participationBips: 5_000,
  newClientOrderId: "share",
});

/** Trades of 0.6, one per second, each reported twice, until the order has ended. */
async function traded({ world, quote, pass, attempt }: MortalWorld): Promise<ParentOrder> {
  await quote("99", "100");
  const place = () => world.engine.place({ accountId: 1, intent: INTENT });
  await attempt(place);
  await quote("99", "100");
  const { orderId } = (await place()).order;
  for (let round = 1; round <= 30 && (await world.order(orderId)).ended === undefined; round++) {
    const timeMs = world.clock.nowMs();
    const print = { symbol: SYMBOL, price: "100", quantity: "0.6", id: `trade-${round}`, timeMs };
    for (let n = 0; n < 2; n++) {
      await attempt(async () => world.engine.market.print(print));
      await quote("99", "100");
    }
    await pass(1_000);
  }
  return await world.order(orderId);
}

it("I20, I21, I34: after a crash at any point, a POV gets its share, and each trade counts once", async () => {
  const open = (dieAt: number): Promise<MortalWorld> =>
    createMortalWorld({ dieAt, answer: (child) => filled(child) });
  const whole = await open(0);
  await traded(whole);
  expect(new Set(whole.points).size).toBe(7);
  for (let dieAt = 1; dieAt <= whole.points.length; dieAt++) {
    const mortal = await open(dieAt);
    const { world } = mortal;
    const order = await traded(mortal);
    const at = `dies at ${dieAt}: ${whole.points[dieAt - 1]}`;
    expect([at, order.ended?.status, await world.executed(order)]).toEqual([at, "FILLED", "1.2"]);
    const reported = world.updates.flatMap(({ record }) => record.changes.flatMap(({ facts }) => facts));
    let executed = 0n;
    for (const fact of reported) {
      if (fact.kind === "FILLED") executed += BigInt(fact.fill.quantity);
      if (fact.kind !== "CHILD_INTENDED") continue;
      const share = BigInt(fact.volume ?? 0) / 2n;
      expect([at, executed + BigInt(fact.child.quantity) <= share]).toEqual([at, true]);
      expect([at, BigInt(fact.volume ?? 0) % 600_000n]).toEqual([at, 0n]);
    }
    expect((await world.engine.verify()).equal, at).toBe(true);
  }
});
