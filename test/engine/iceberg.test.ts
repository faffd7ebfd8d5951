import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import { filled, sentTo } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL } from "../support/world.ts";

const ICEBERG = { type: "ICEBERG", quantity: "1", price: "100", icebergQty: "0.4" } as const;

describe("decision 31: an iceberg", () => {
  it("is sent in parts, one after the other: each is the display quantity, the last one the rest", async () => {
    const world = await createWorld();
    const order = await world.place(ICEBERG);
    for (let n = 0; n < 5; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.4 @ 100", "BUY 0.4 @ 100", "BUY 0.2 @ 100"]);
    expect([await world.status(order), await world.executed(order)]).toEqual(["FILLED FILLED", "1"]);
  });
});

describe("decision 31: icebergQty on other types", () => {
  it.each([
    ["a limit", { type: "SYNTHETIC_LIMIT", price: "100" }, "100", "BUY 0.4 @ 100"],
    ["a stop-limit", { type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" }, "100", "BUY 0.4 @ 101"],
    [
      "a take-profit-limit",
      { type: "TAKE_PROFIT_LIMIT", stopPrice: "100", price: "101" },
      "99",
      "BUY 0.4 @ 101",
    ],
  ] as const)("%s", async (_what, fields, ask, sent) => {
    const world = await createWorld();
    const order = await world.place({ ...fields, icebergQty: "0.4" });
    for (let n = 0; n < 4; n++) await world.quote("90", ask);
    expect(sentTo(world.venue)[0]).toBe(sent);
    expect([world.venue.submitted.length, await world.status(order)]).toEqual([3, "FILLED FILLED"]);
  });
});

describe("contract rule 1, decision 31: admission of an iceberg", () => {
  it.each([
    ["a display quantity worth less than the minimum", { icebergQty: "0.149999" }, -1013],
    ["a display quantity worth the minimum", { icebergQty: "0.15" }, undefined],
    ["a display quantity equal to the whole", { icebergQty: "1" }, undefined],
    [
      "reduce-only: a display of a step",
      { icebergQty: "0.000001", side: "SELL", reduceOnly: true },
      undefined,
    ],
  ] as const)("%s", async (_what, fields, code) => {
    const world = await createWorld();
    world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: quantity("1") });
    const placing = world.place({ ...ICEBERG, ...fields });
    if (code === undefined) await expect(placing).resolves.toMatchObject({ accountId: 1 });
    else await expect(placing).rejects.toMatchObject({ code });
  });

  it("any number of parts is accepted unless a setting limits it; the last part may be smaller", async () => {
    const small = { ...ICEBERG, quantity: "150", icebergQty: "0.15" };
    const world = await createWorld();
    await expect(world.place(small)).resolves.toMatchObject({ accountId: 1 });
    const limited = await createWorld({ settings: { maxIcebergParts: 3 } });
    await expect(limited.place({ ...ICEBERG, quantity: "1.2" })).resolves.toMatchObject({ accountId: 1 });
    await expect(limited.place({ ...ICEBERG, quantity: "1.200001" })).rejects.toMatchObject({ code: -1013 });
  });
});

describe("I21: an iceberg with a child in flight over a restart", () => {
  it("continues with the same child; the next part has the next number", async () => {
    const world = await createWorld();
    const order = await world.place(ICEBERG);
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    const { lastChildId } = await world.order(order);
    await world.crash();
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect((await world.order(order)).child?.childId).toBe(lastChildId);
    expect(sentTo(world.venue)).toHaveLength(1);
    world.venue.onLookup = (child) => filled(child);
    world.venue.onSubmit = (child) => filled(child);
    await world.pass(5_000, { heartbeat: false });
    await world.quote("99", "100");
    expect(world.venue.submitted.map(({ childId }) => childId.slice(-2))).toEqual(["-1", "-2", "-3"]);
    expect(await world.executed(order)).toBe("1");
  });
});
