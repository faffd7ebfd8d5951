import { describe, expect, it } from "vitest";
import { createMemoryInstruments } from "../../../src/adapters/memory/index.ts";
import type { Instrument } from "../../../src/model/index.ts";
import type { Instruments } from "../../../src/ports/index.ts";
import { isSocketTarget } from "../../../src/service/internal.ts";
import { type JsonObject, readJson } from "../../../src/wire/index.ts";
import {
  call,
  openWorld,
  requestOf,
  type ServiceWorld,
  type WorldOptions,
} from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";

/** An instrument without aliases, so that its joined name is only in the whole catalogue. */
const unaliased = (base: string, id: number): Instrument => ({
  ...{ id, symbol: `${base}-USD`, aliases: [], baseAsset: base, quoteAsset: "USD", name: base },
  ...{ kind: "liquidity", status: "TRADING" },
});

const BASES = ["AAA", "BBB", "CCC"];

type Counted = Readonly<{ world: ServiceWorld; reads: { all: number; resolve: number } }>;

async function openCounted(options: WorldOptions = {}): Promise<Counted> {
  const reads = { all: 0, resolve: 0 };
  const listed = BASES.map((base, place) => unaliased(base, place + 10));
  const memory = createMemoryInstruments(listed);
  const instruments: Instruments = {
    ...memory,
    all: () => {
      reads.all++;
      return memory.all();
    },
    resolve: (name) => {
      reads.resolve++;
      return memory.resolve(name);
    },
  };
  return { world: await openWorld({ ...options, service: { instruments }, instruments: listed }), reads };
}

const codeOf = async (world: ServiceWorld, target: string): Promise<unknown> => {
  const refused = await world.service.sockets.admit(requestOf("GET", target));
  return refused && (readJson(refused.body) as JsonObject).code;
};

const many = (count: number, suffix: string): readonly string[] =>
  Array.from({ length: count }, (_none, place) => `x${place}${suffix}`);

describe("hostile 43: a path costs no more than its length", () => {
  it.each(["/ws/", "/compat/ws/"])("%s with names of two readings ends at once", async (start) => {
    const world = await openWorld();
    const off = await openWorld({ service: { settings: { compatRoutes: false } } });
    for (const count of [24, 1_000]) {
      const target = `${start}${"a%40b%40c/".repeat(count)}x`;
      const beforeMs = performance.now();
      expect(isSocketTarget(target)).toBe(false);
      expect(await codeOf(world, target)).toBe(-1099);
      expect(await codeOf(off, target)).toBe(-1099);
      expect(performance.now() - beforeMs).toBeLessThan(30_000);
    }
  });

  it("has at most 1,024 names and 32,768 characters", () => {
    const path = (names: readonly string[]): string => `/ws/${names.join("/")}`;
    expect(isSocketTarget(path(many(1_024, "@trade")))).toBe(true);
    expect(isSocketTarget(path(many(1_025, "@trade")))).toBe(false);
    expect(isSocketTarget(`/ws/${"x".repeat(32_768 - "/ws/@t".length)}@t`)).toBe(true);
    expect(isSocketTarget(`/ws/${"x".repeat(32_769 - "/ws/@t".length)}@t`)).toBe(false);
  });

  it.each([
    "/ws/@trade",
    "/ws/btcusd@",
    "/ws/%40trade",
    "/ws/btcusd%40",
    "/ws/a@b/",
    "/ws/a@b//c@d",
    "/ws/a@b/c",
  ])("%s names no stream", (target) => expect(isSocketTarget(target)).toBe(false));

  it.each([
    ["/ws/a@b/c%40d", true],
    ["/compat/ws/a@b", true],
    ["/compat/ws/1", true],
    ["/compat/stream", true],
    ["/stream?streams=a@b", true],
    ["/stream?x=streams=", false],
    ["/stream", false],
    ["/ws/1", false],
  ])("whether a mount takes %s: %s", (target, taken) => {
    expect(isSocketTarget(target)).toBe(taken);
  });
});

describe("requests read the catalogue once a second", () => {
  const streams = BASES.map((base) => `${base.toLowerCase()}usd@trade`);

  it("for all names of a path and of a query", async () => {
    for (const target of [`/ws/${streams.join("/")}`, `/stream?streams=${streams.join("/")}`]) {
      const { world, reads } = await openCounted();
      expect(await codeOf(world, target)).toBeUndefined();
      expect(reads.all).toBe(1);
    }
  });

  it("for all names of all messages", async () => {
    const { world, reads } = await openCounted();
    const client = new TestClient(world, { target: "/stream" });
    const subscribe = (params: readonly string[]): Promise<JsonObject> =>
      client.sendsRaw(JSON.stringify({ id: 1, method: "SUBSCRIBE", params }));
    expect(await subscribe(streams)).toEqual({ result: null, id: 1 });
    expect(reads.all).toBe(1);
    expect(await subscribe(many(1_000, "@trade"))).toMatchObject({ code: 2 });
    expect(reads.all).toBe(1);
    await world.clock.advanceBy(1_000);
    expect(await subscribe(many(1_000, "@trade"))).toMatchObject({ code: 2 });
    expect(reads.all).toBe(2);
  });

  it("and ends at the first unknown name", async () => {
    const { world, reads } = await openCounted();
    expect(await codeOf(world, `/stream?streams=${many(1_024, "@trade").join("/")}`)).toBe(-1130);
    expect(reads).toEqual({ all: 1, resolve: 1 });
  });

  it.each(["exchangeInfo", "ticker/price", "ticker/bookTicker", "ticker/24hr"])(
    "for symbols of %s",
    async (path) => {
      const { world, reads } = await openCounted();
      const ask = async (symbols: readonly string[]): Promise<readonly number[]> => {
        const before = reads.all;
        const query = { symbols: JSON.stringify(symbols) };
        const { status } = await call(world, "GET", `/compat/api/v3/${path}`, { query });
        return [status, reads.all - before];
      };
      const first = await ask(BASES.map((base) => `${base}USD`));
      const [, own] = await ask(["AAA-USD"]);
      expect(first).toEqual([200, Number(own) + 1]);
      expect(await ask(many(500, "USD"))).toEqual([400, own]);
    },
  );

  it("a refused address does not cause that", async () => {
    const { world, reads } = await openCounted({ limits: { weightPerMinute: 1 } });
    expect(await codeOf(world, `/stream?streams=${streams.join("/")}`)).toBe(-1003);
    expect(reads).toEqual({ all: 0, resolve: 0 });
  });
});
