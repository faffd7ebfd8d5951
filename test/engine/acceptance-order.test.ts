import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import { shardOfId } from "../../src/model/index.ts";
import { createWorld, type World } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "100" } as const;

/** Orders of two accounts in turn, all at one time: the ids of the first account's shard are further from zero. */
async function placeInTurn(world: World, count: number): Promise<readonly number[]> {
  for (let n = 0; n < 5; n++) await world.cancel(await world.place(STOP, 2));
  const placed: number[] = [];
  for (let n = 0; n < count; n++) placed.push((await world.place(STOP, 1 + ((n + 1) % 2))).orderId);
  return placed;
}

const sentBy = (world: World): readonly number[] => world.venue.submitted.map((child) => child.parentOrderId);

describe("decision 20: orders accepted at the same time act in the order of their acceptance, whatever their ids", () => {
  it("on one quote", async () => {
    const world = await createWorld();
    expect(shardOf(1)).not.toBe(shardOf(2));
    const placed = await placeInTurn(world, 6);
    expect(new Set(placed.map((orderId) => shardOfId(orderId))).size).toBe(2);
    await world.quote("99", "100");
    expect(sentBy(world)).toEqual(placed);
  });

  it("also after a restart, before orders that are accepted later", async () => {
    const world = await createWorld();
    const placed = await placeInTurn(world, 4);
    await world.crash();
    const later = [await world.place(STOP, 2), await world.place(STOP, 1)];
    // The first quote after the restart is held until a second one confirms it.
    await world.quote("99", "100");
    await world.quote("99", "100");
    expect(sentBy(world)).toEqual([...placed, ...later.map(({ orderId }) => orderId)]);
  });

  it("including legs of one list, in the order in which they are shown", async () => {
    const world = await createWorld();
    const { legs } = await world.placeList("oco", {
      side: "SELL",
      quantity: "1",
      aboveType: "TAKE_PROFIT",
      aboveStopPrice: "120",
      belowType: "STOP_LOSS",
      belowStopPrice: "80",
    });
    const numbers = legs.map(({ acceptance }) => acceptance ?? 0);
    expect(numbers).toEqual([1, 2]);
  });
});
