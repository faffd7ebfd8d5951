import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createManualClock, createMemoryDisk, type ManualClock } from "../../src/adapters/memory/index.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { EngineSettings } from "../../src/engine/index.ts";
import type { PrintInput } from "../../src/ports/index.ts";
import {
  type AppendUnderWay,
  type MarketNode,
  openMarketNode,
  storedVolume,
  volumeOf,
} from "../support/market-nodes.ts";
import { START_MS, SYMBOL } from "../support/world.ts";

const trade = (id: string, more: Partial<PrintInput> = {}): PrintInput => ({
  ...{ symbol: SYMBOL, price: "100", quantity: "1", id, timeMs: START_MS },
  ...more,
});

const totalOf = ({ market }: MarketNode): string => formatQuantity(market.tape.total(SYMBOL));

type Nodes = Readonly<{ clock: ManualClock; a: MarketNode; b: MarketNode }>;

/** Node a writes the market journal, and node b follows it. */
async function pair(settings: Partial<EngineSettings> = {}): Promise<Nodes> {
  const clock = createManualClock({ startMs: START_MS });
  const disk = createMemoryDisk();
  const a = await openMarketNode(disk, clock, settings);
  const b = await openMarketNode(disk, clock, settings);
  await a.takeOver();
  return { clock, a, b };
}

const idsIn = async ({ leases }: MarketNode): Promise<readonly string[]> =>
  (await leases.prints({ limit: 1_000 })).map(({ print }) => print.id);

const kindsOf = ({ effects }: MarketNode): readonly string[] => effects.map(({ kind }) => kind);

describe("a node that does not write the market journal", () => {
  it("counts prints as it hears them, and appends none", async () => {
    const { b } = await pair();
    b.market.print(trade("1"));
    expect([totalOf(b), b.market.hasFacts, b.market.writes]).toEqual(["1", false, false]);
    expect(b.market.takeFacts({ onlyDue: false })).toEqual({ marks: [], prints: [] });
    expect(kindsOf(b)).toEqual(["PRINTED"]);
  });

  it("keeps no quotes", async () => {
    const { a, b } = await pair();
    for (const { market } of [a, b]) {
      market.memory.watch(SYMBOL);
      for (const bid of ["100", "101"]) market.quote({ symbol: SYMBOL, bid, ask: "102" });
    }
    expect(a.market.quotesToStore([])).toHaveLength(1);
    expect(b.market.quotesToStore([SYMBOL])).toEqual([]);
  });

  it("counts a stored print that it has not heard, once, and may follow it if it is fresh by its own clock", async () => {
    const { clock, a, b } = await pair();
    a.market.print(trade("1"));
    await a.append();
    await b.followed.follow();
    await b.followed.follow();
    b.market.print(trade("1"));
    expect(totalOf(b)).toBe("1");
    expect(b.effects).toMatchObject([{ kind: "PRINTED", print: { id: "1", fresh: true } }]);
    a.market.print(trade("2"));
    await a.append();
    await clock.advanceBy(6_000, async () => undefined);
    await b.followed.follow();
    expect(totalOf(b)).toBe("2");
    expect(b.effects[1]).toMatchObject({ kind: "PRINTED", print: { id: "2", fresh: false } });
    expect(b.market.printsCounted).toBe(2);
  });

  it("counts all prints of a read before an order follows the first: one child for them all", async () => {
    const { a, b } = await pair();
    for (const id of ["1", "2", "3"]) a.market.print(trade(id));
    await a.append();
    const totals: string[] = [];
    vi.spyOn(b.effects, "push").mockImplementation((effect) =>
      totals.push(`${effect?.kind} at ${totalOf(b)}`),
    );
    await b.followed.follow();
    expect(totals).toEqual(Array.from({ length: 3 }, () => "PRINTED at 3"));
  });

  it("counts a print that it has heard once, whether the store tells it before or after", async () => {
    const { a, b } = await pair();
    for (const { market } of [a, b]) market.print(trade("1"));
    await a.append();
    await b.followed.follow();
    expect([totalOf(b), b.market.tape.pendingOf(SYMBOL)]).toEqual(["1", []]);
    expect(volumeOf(b, SYMBOL)).toEqual(await storedVolume(a.store, SYMBOL));
  });

  it("takes the writer's word for whether a print was fresh; its total never falls", async () => {
    const { a, b } = await pair();
    a.market.receivePrint(trade("1"), START_MS + 60_000);
    b.market.print(trade("1"));
    await a.append();
    await b.followed.follow();
    expect([totalOf(a), totalOf(b)]).toEqual(["0", "1"]);
    for (const { market } of [a, b]) market.print(trade("2", { quantity: "0.4" }));
    await a.append();
    await b.followed.follow();
    expect([totalOf(a), totalOf(b)]).toEqual(["0.4", "1"]);
    for (const { market } of [a, b]) market.print(trade("3"));
    await a.append();
    await b.followed.follow();
    expect([totalOf(a), totalOf(b)]).toEqual(["1.4", "1.4"]);
    a.market.print(trade("4"));
    b.market.receivePrint(trade("4"), START_MS + 60_000);
    await a.append();
    await b.followed.follow();
    expect([totalOf(a), totalOf(b)]).toEqual(["2.4", "2.4"]);
  });

  it("has the bars of the store, also of prints of one time, which the nodes heard in different orders", async () => {
    const { a, b } = await pair();
    const [first, second] = [trade("1", { price: "100" }), trade("2", { price: "90" })];
    for (const one of [first, second]) a.market.print(one);
    for (const one of [second, first]) b.market.print(one);
    expect(volumeOf(b, SYMBOL)).not.toEqual(volumeOf(a, SYMBOL));
    await a.append();
    await b.followed.follow();
    expect(volumeOf(b, SYMBOL)).toEqual(volumeOf(a, SYMBOL));
    expect(volumeOf(b, SYMBOL)).toEqual(await storedVolume(a.store, SYMBOL));
  });

  it("goes on from what the store had when it opened, by pages, after a failed read too", async () => {
    const { a, clock } = await pair();
    a.market.print(trade("early"));
    await a.append();
    const read: unknown[] = [];
    const c = await openMarketNode(a.disk, clock);
    for (let n = 0; n < 2_500; n++) a.market.print(trade(`${n}`, { quantity: "0.001" }));
    await a.append();
    let fails = true;
    const followed = c.followedOn({
      async prints(range) {
        read.push(range.after?.position);
        if (fails && read.length === 2) throw new Error("the store does not answer");
        return await a.leases.prints(range);
      },
    });
    await expect(followed.follow()).rejects.toThrow("the store does not answer");
    fails = false;
    await followed.follow();
    expect(read).toEqual([1, 1_025, 1_025, 2_049]);
    expect(totalOf(c)).toBe("3.5");
  });

  it("a second call reads again, because the first may have read before a claim", async () => {
    const { a, b } = await pair();
    let answer = (): void => undefined;
    let [reads, underWay, most] = [0, 0, 0];
    const followed = b.followedOn({
      async prints(range) {
        most = Math.max(most, ++underWay);
        const prints = await a.leases.prints(range);
        if (++reads === 1) await new Promise<void>((resolve) => (answer = resolve));
        underWay--;
        return prints;
      },
    });
    const first = followed.follow();
    await Promise.resolve();
    a.market.print(trade("1"));
    await a.append();
    const second = followed.follow();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    answer();
    await Promise.all([first, second]);
    expect([reads, most, totalOf(b)]).toEqual([2, 1, "1"]);
  });

  it("keeps maxPendingPrints of them for the store, counts the others too, and says so", async () => {
    const { a, b } = await pair({ maxPendingPrints: 3 });
    for (let n = 1; n <= 5; n++) b.market.print(trade(`${n}`));
    expect([totalOf(b), b.market.printsDropped]).toEqual(["5", 0]);
    expect(b.market.tape.pendingOf(SYMBOL).map(({ id }) => id)).toEqual(["3", "4", "5"]);
    expect(kindsOf(b).filter((kind) => kind === "PRINT_DROPPED")).toHaveLength(2);
    for (let n = 1; n <= 3; n++) a.market.print(trade(`${n}`));
    a.market.print(trade("4"));
    expect(a.market.printsDropped).toBe(1);
    await a.append();
    await b.followed.follow();
    expect(totalOf(b)).toBe("5");
    await a.release();
    await b.takeOver();
    await b.append();
    expect(await idsIn(b)).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("leaves out a stored print that is older than the ids that it remembers: it may have counted it", async () => {
    const { clock, a, b } = await pair();
    for (const { market } of [a, b]) market.print(trade("1"));
    await a.append();
    await clock.advanceBy(1_000, async () => undefined);
    expect(b.market.tape.evict(START_MS + 1, 100)).toBe(1);
    expect(b.market.tape.pendingOf(SYMBOL)).toEqual([]);
    await b.followed.follow();
    expect(totalOf(b)).toBe("1");
    a.market.print(trade("2"));
    await a.append();
    await b.followed.follow();
    expect(totalOf(b)).toBe("2");
  });

  it("C: only the node that writes keeps prints that the store has not kept for a day", async () => {
    const { a, b } = await pair();
    for (const { market } of [a, b]) market.print(trade("1"));
    for (const { market } of [a, b]) market.tape.evict(START_MS + 1, 100);
    expect([a, b].map(({ market }) => market.tape.pendingOf(SYMBOL).length)).toEqual([1, 0]);
  });
});

describe("a node that becomes the writer", () => {
  it("stores the prints that it has heard and the writer has not, in the order in which it heard them", async () => {
    const { a, b } = await pair();
    a.market.print(trade("1"));
    for (const id of ["3", "1", "2"]) b.market.print(trade(id));
    await a.append();
    await a.release();
    expect(await b.takeOver()).toBe(true);
    expect(kindsOf(b).at(-1)).toBe("MARKET_MOVED");
    b.market.print(trade("4"));
    await b.append();
    expect(await idsIn(b)).toEqual(["1", "3", "2", "4"]);
    expect(volumeOf(b, SYMBOL)).toEqual(await storedVolume(b.store, SYMBOL));
    await a.followed.follow();
    expect(volumeOf(a, SYMBOL)).toEqual(volumeOf(b, SYMBOL));
  });

  it("moves nothing if there is nothing to store, and goes on if it is told again", async () => {
    const { a } = await pair();
    expect([a.market.writes, a.effects]).toEqual([true, []]);
    a.market.print(trade("1"));
    const { prints } = a.market.takeFacts({ onlyDue: false });
    a.market.startWriting();
    expect(a.market.takeFacts({ onlyDue: false }).prints).toEqual([]);
    expect(prints).toHaveLength(1);
  });

  it("keeps all last quotes again: it does not know which of them another node has stored", async () => {
    const { a } = await pair();
    a.market.memory.watch(SYMBOL);
    for (const bid of ["100", "101"]) a.market.quote({ symbol: SYMBOL, bid, ask: "102" });
    await a.append();
    expect(a.market.quotesToStore([])).toEqual([]);
    a.market.stopWriting();
    a.market.startWriting();
    expect(a.market.quotesToStore([])).toHaveLength(1);
  });

  it("a quote of an append from before it last stopped does not count as stored", async () => {
    const { a } = await pair();
    a.market.memory.watch(SYMBOL);
    for (const bid of ["100", "101"]) a.market.quote({ symbol: SYMBOL, bid, ask: "102" });
    const append = a.beginAppend();
    a.market.stopWriting();
    a.market.startWriting();
    await append.end("kept");
    expect(a.market.quotesToStore([])).toHaveLength(1);
  });
});

describe("a writer that stops while an append is under way", () => {
  const stopped = async (): Promise<Nodes & Readonly<{ append: AppendUnderWay }>> => {
    const nodes = await pair();
    nodes.a.market.print(trade("1"));
    const append = nodes.a.beginAppend();
    nodes.a.market.print(trade("2"));
    nodes.a.market.stopWriting();
    return { ...nodes, append };
  };
  const pendingOf = ({ market }: MarketNode): readonly string[] =>
    market.tape.pendingOf(SYMBOL).map(({ id }) => id);

  /** How the append ends: kept, failed without reaching the store, or failed after that. */
  const ENDS = {
    kept: async ({ end }: AppendUnderWay) => await end("kept"),
    lost: async ({ end }: AppendUnderWay) => await end("lost"),
    async unknown({ reach, end }: AppendUnderWay) {
      await reach();
      await end("lost");
    },
  } as const;
  const HOW = ["kept", "lost", "unknown"] as const;

  it.each(HOW)("waits for its prints in the store (%s)", async (how) => {
    const { a, append } = await stopped();
    await ENDS[how](append);
    expect([pendingOf(a), a.market.hasFacts, totalOf(a)]).toEqual([["1", "2"], false, "2"]);
    await a.followed.follow();
    expect(pendingOf(a)).toEqual(how === "lost" ? ["1", "2"] : ["2"]);
    expect(totalOf(a)).toBe("2");
  });

  it.each(HOW)("and stores all of them once if it goes on before the append has ended (%s)", async (how) => {
    const { a, append } = await stopped();
    a.market.startWriting();
    await ENDS[how](append);
    expect(pendingOf(a)).toEqual(["1", "2"]);
    await a.append();
    expect([pendingOf(a), await idsIn(a), totalOf(a)]).toEqual([[], ["1", "2"], "2"]);
    expect(volumeOf(a, SYMBOL)).toEqual(await storedVolume(a.store, SYMBOL));
  });

  it("what reached the store too late, under the epoch before, is stored by the next writer", async () => {
    const { a, b, append } = await stopped();
    for (const id of ["1", "2"]) b.market.print(trade(id));
    await a.leases.release({ incarnation: a.incarnation, shards: [256] });
    await b.takeOver();
    await append.reach();
    await append.end("kept");
    expect(await idsIn(b)).toEqual([]);
    await b.append();
    await a.followed.follow();
    expect([pendingOf(a), await idsIn(b), totalOf(a)]).toEqual([[], ["1", "2"], "2"]);
  });
});

describe("a writer", () => {
  it("counts a print once that it reads in the store before it hears that its append was kept", async () => {
    const { a } = await pair();
    a.market.print(trade("1"));
    const append = a.beginAppend();
    await append.reach();
    await a.followed.follow();
    expect(a.market.tape.pendingOf(SYMBOL)).toEqual([]);
    await append.end("kept");
    expect(totalOf(a)).toBe("1");
    expect(volumeOf(a, SYMBOL)).toEqual(await storedVolume(a.store, SYMBOL));
  });

  it("appends none again that it has read in the store meanwhile", async () => {
    const { a } = await pair();
    a.market.print(trade("1"));
    const append = a.beginAppend();
    await append.reach();
    await append.end("lost");
    a.market.print(trade("2"));
    await a.followed.follow();
    expect(a.market.takeFacts({ onlyDue: false }).prints.map(({ id }) => id)).toEqual(["2"]);
  });

  it("appends the prints of an append that failed before those that came since", async () => {
    const { a } = await pair();
    a.market.print(trade("1"));
    const append = a.beginAppend();
    a.market.print(trade("2"));
    await append.end("lost");
    expect(a.market.takeFacts({ onlyDue: false }).prints.map(({ id }) => id)).toEqual(["1", "2"]);
  });
});

/** A step of a cluster. */
type Step =
  | Readonly<{ kind: "print"; node: number; trade: number }>
  | Readonly<{ kind: "begin" | "reach" | "release" | "takeOver" | "follow"; node: number }>
  | Readonly<{ kind: "end"; node: number; how: "kept" | "lost" }>
  | Readonly<{ kind: "pass"; ms: number }>;

const NODES = 3;
const TRADES = 12;
const aNode = fc.nat(NODES - 1);
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("print"), node: aNode, trade: fc.nat(TRADES - 1) }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("begin", "reach", "follow"), node: aNode }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("release", "takeOver"), node: aNode }) },
    {
      weight: 3,
      arbitrary: fc.record({
        ...{ kind: fc.constant("end"), node: aNode },
        how: fc.constantFrom("kept", "lost"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass"), ms: fc.nat(3_000) }) },
  ),
  { minLength: 1, maxLength: 80, size: "max" },
) as fc.Arbitrary<readonly Step[]>;

/** The trade of a number: some have the same time. */
const tradeAt = (number: number): PrintInput =>
  trade(`${number}`, {
    price: `${100 + ((number * 7) % 5)}`,
    quantity: `${1 + number}`,
    timeMs: START_MS - 1_000 * (number % 4),
  });

describe("several nodes that hear prints in any order, often or not at all", () => {
  /** Runs steps, and lets each node become the writer once at the end, so that the store gets what any of them heard. */
  async function run(
    all: readonly Step[],
  ): Promise<Readonly<{ nodes: readonly MarketNode[]; received: Set<number> }>> {
    const clock = createManualClock({ startMs: START_MS });
    const disk = createMemoryDisk();
    const nodes: MarketNode[] = [];
    for (let n = 0; n < NODES; n++) nodes.push(await openMarketNode(disk, clock));
    const ends = new Map<MarketNode, AppendUnderWay>();
    const received = new Set<number>();
    const totals = new Map(nodes.map((node) => [node, 0n]));
    for (const step of all) {
      if (step.kind === "pass") await clock.advanceBy(step.ms, async () => undefined);
      else await take(nodes[step.node] as MarketNode, step, { ends, received });
      for (const node of nodes) {
        const total = BigInt(node.market.tape.total(SYMBOL));
        expect(total >= (totals.get(node) ?? 0n)).toBe(true);
        totals.set(node, total);
      }
    }
    for (const node of nodes) await ends.get(node)?.end("lost");
    for (const next of nodes) {
      for (const node of nodes) await node.release();
      await next.takeOver();
      await next.append();
    }
    for (const node of nodes) await node.followed.follow();
    return { nodes, received };
  }

  type Under = Readonly<{ ends: Map<MarketNode, AppendUnderWay>; received: Set<number> }>;

  async function take(node: MarketNode, step: Exclude<Step, { kind: "pass" }>, under: Under): Promise<void> {
    const { ends, received } = under;
    if (step.kind === "print") {
      received.add(step.trade);
      node.market.print(tradeAt(step.trade));
    } else if (step.kind === "follow") await node.followed.follow();
    else if (step.kind === "release") await node.release();
    else if (step.kind === "takeOver") await node.takeOver();
    else if (step.kind === "begin" && !ends.has(node)) ends.set(node, node.beginAppend());
    else if (step.kind === "reach") await ends.get(node)?.reach();
    else if (step.kind === "end") {
      await ends.get(node)?.end(step.how);
      ends.delete(node);
    }
  }

  it("have one volume in the end, that of the union, each print once; no total falls", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { nodes, received } = await run(all);
        const [first] = nodes as [MarketNode];
        const stored = await storedVolume(first.store, SYMBOL);
        for (const node of nodes) {
          const { total: _total, ...bars } = volumeOf(node, SYMBOL) as Readonly<{ total: unknown }>;
          expect({ ...bars }).toEqual(
            (({ total: _stored, ...rest }) => rest)(stored as Readonly<{ total: unknown }>),
          );
          expect(node.market.tape.pendingOf(SYMBOL)).toEqual([]);
        }
        expect([...(await idsIn(first))].map(Number).sort((x, y) => x - y)).toEqual(
          [...received].sort((x, y) => x - y),
        );
      }),
    );
  });

  it("have one total in the end if all judge alike whether a print is fresh", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { nodes, received } = await run(all.filter(({ kind }) => kind !== "pass"));
        const union = [...received].reduce((sum, number) => sum + 1 + number, 0);
        for (const node of nodes) expect(totalOf(node)).toBe(String(union));
        expect(await storedVolume((nodes as [MarketNode])[0].store, SYMBOL)).toEqual(
          volumeOf((nodes as [MarketNode])[0], SYMBOL),
        );
      }),
    );
  });
});
