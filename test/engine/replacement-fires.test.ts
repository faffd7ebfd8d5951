import { describe, expect, it } from "vitest";
import type { OrderFields } from "../../src/requests/index.ts";
import { turns } from "../support/faulty-world.ts";
import {
  at,
  failed,
  faulty,
  held,
  heldReplacing,
  newOf,
  openIds,
  replace,
  see,
} from "../support/replacing-world.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

describe("while the append of a replacement is under way", () => {
  it("a fire of the old level triggers the new order, once, and sends nothing before both are durable", async () => {
    for (const end of ["kept", "unknown"] as const)
      for (const level of ["95", "80"]) {
        const { world, old, replacing, end: finish } = await held(at(level, { quantity: "3" }));
        see(world, "89");
        await turns();
        see(world, "108");
        see(world, "89");
        see(world, "108");
        await turns();
        expect(sentTo(world.venue)).toEqual([]);
        await finish(end);
        expect(await replacing).toMatchObject({ created: true });
        expect(await world.status(old)).toBe("CANCELED CANCELED");
        expect(sentTo(world.venue)).toEqual(["SELL 3"]);
        expect((await newOf(world, old))?.trigger?.observed).toBe(8_900_000_000);
        expect((await world.engine.verify()).equal).toBe(true);
      }
  });

  it("a fire while the shard is read again after an unknown append is that of what the store kept", async () => {
    for (const end of ["lost", "unknown"] as const) {
      const { world, store, old } = await faulty();
      const { replacing, end: finish } = await heldReplacing({ world, store }, old, {});
      const disk = store();
      const fence = disk.fence.bind(disk);
      let read: () => void = () => undefined;
      const isUp = new Promise<void>((resolve) => (read = resolve));
      Object.assign(disk, { fence: (round: Parameters<typeof fence>[0]) => isUp.then(() => fence(round)) });
      const finished = finish(end);
      await turns();
      for (const bid of ["89", "108"]) {
        see(world, bid);
        await turns();
      }
      expect(sentTo(world.venue)).toEqual([]);
      read();
      await Promise.all([replacing, finished]);
      see(world, "108");
      await world.engine.idle();
      const left = end === "lost" ? await world.order(old) : await newOf(world, old);
      expect(left?.trigger?.observed).toBe(8_900_000_000);
      expect(sentTo(world.venue)).toEqual(["SELL 2"]);
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });

  it("if the store does not keep it, the fire is the old order's, though the price has gone back", async () => {
    for (const order of [at("95"), at("120", { type: "TAKE_PROFIT_MARKET" } as Partial<OrderFields>)]) {
      const { world, old, replacing, end } = await held(order);
      see(world, "89");
      await turns();
      see(world, "108");
      await end("lost");
      expect(await replacing).toMatchObject({ code: -1001 });
      expect(await newOf(world, old)).toBeUndefined();
      expect(await world.status(old)).toBe("FILLED FILLED");
      expect(sentTo(world.venue)).toEqual(["SELL 2"]);
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });

  it("a fire of the old level is not that of a new order which waits for something else", async () => {
    const { world, old, end } = await held(at("120", { type: "TAKE_PROFIT_MARKET" } as Partial<OrderFields>));
    see(world, "89");
    await turns();
    see(world, "108");
    await end("kept");
    expect(await openIds(world, old)).toEqual(["new"]);
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("121", "200");
    expect(sentTo(world.venue)).toEqual(["SELL 2"]);
  });

  it("the new level triggers nothing before the record is durable, and then what stands", async () => {
    for (const end of ["kept", "lost"] as const) {
      const { world, old, end: finish } = await held(at("95"));
      see(world, "94");
      await turns();
      expect(sentTo(world.venue)).toEqual([]);
      await finish(end);
      expect(sentTo(world.venue)).toEqual(end === "kept" ? ["SELL 2"] : []);
      expect(await world.status(old)).toBe(end === "kept" ? "CANCELED CANCELED" : "NEW WAITING");
    }
  });

  it("a cancel of either order follows it, and a crash leaves exactly one of the two", async () => {
    for (const end of ["kept", "lost"] as const) {
      const { world, old, end: finish } = await held(at("95"));
      const { accountId } = old;
      const canceling = world.engine
        .cancel({ accountId, clientOrderId: "old" })
        .catch((error: unknown) => error);
      await turns();
      await finish(end);
      await canceling;
      await world.crash();
      const open = await openIds(world, old);
      expect(end === "kept" ? [["new"]] : [["old"], []]).toContainEqual(open);
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });
});

describe("a quote that meets what a triggered order still waits for", () => {
  it("is not that of the new order, which waits for its own level: the old one a limit", async () => {
    const limits = (stopPrice: string, price: string): OrderFields =>
      at(stopPrice, { type: "STOP_LIMIT", price, timeInForce: "GTC" } as Partial<OrderFields>);
    const { world, store, old } = await faulty(limits("90", "95"));
    await world.quote("89", "200");
    expect((await world.order(old))?.trigger).toBeDefined();
    const { end } = await heldReplacing({ world, store }, old, { order: limits("80", "75") });
    see(world, "96");
    await turns();
    await end("kept");
    expect(await openIds(world, old)).toEqual(["new"]);
    expect((await newOf(world, old))?.trigger).toBeUndefined();
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("is not that of the new order, which waits for its own level: the old one with a rest", async () => {
    const { world, store, old } = await faulty();
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.5" })]);
    await world.quote("89", "200");
    const { end } = await heldReplacing({ world, store }, old, { order: at("80") });
    for (const bid of ["110", "111"]) {
      see(world, bid);
      await turns();
    }
    await end("kept");
    expect((await newOf(world, old))?.trigger).toBeUndefined();
    expect(sentTo(world.venue)).toEqual(["SELL 2"]);
  });
});

it("an order that a quote has met, and whose trigger waits for its turn, is not replaced", async () => {
  const world = await createWorld();
  await world.quote("110", "200");
  const old = await world.place(at("90"));
  const others = Array.from({ length: 1_000 }, () => world.place(at("106"), 2));
  await Promise.all(others);
  await world.quote("110", "200");
  see(world, "89");
  const refused = replace(world, old, { order: at("80") }).catch(failed);
  see(world, "109");
  expect(await refused).toMatchObject({ reason: "CANCEL_REPLACE_FAILED" });
  await world.engine.idle();
  expect(await world.status(old)).toBe("FILLED FILLED");
  expect(await openIds(world, old)).toEqual([]);
});
