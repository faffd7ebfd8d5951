import { expect } from "vitest";
import { add, quantity } from "../../src/decimal/index.ts";
import { OrderError } from "../../src/errors/index.ts";
import { executable, executableLevels, shardOfId, statusOf } from "../../src/lifecycle/index.ts";
import { type ChildRequest, type ParentOrder, type QuoteStamp, stampOf } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { ListActs } from "./list-acts.ts";
import { createRandom, type Random } from "./random.ts";
import { REDUCER, randomFields, SimulationParts } from "./simulation-parts.ts";
import { ToldOrders } from "./told-orders.ts";
import { type QuoteMore, SYMBOL, type World } from "./world.ts";

/** What a simulation did. */
export type SimulationReport = Readonly<{
  parents: number;
  /** Lists, releases of pending legs, and legs that lost to their sibling. */
  lists: number;
  released: number;
  outdone: number;
  /** Types of parents that executed something. */
  types: readonly string[];
  children: number;
  crashes: number;
  failures: number;
  ends: readonly string[];
}>;

/**
 * Runs a random world for so many steps, checks it after each, then lets everything end and checks it whole. The same
 * seed makes the same run.
 */
export async function simulate(
  options: Readonly<{ seed: number; steps: number }>,
): Promise<SimulationReport> {
  const parts = new SimulationParts(createRandom(options.seed));
  const simulation = new Simulation(parts, await parts.open());
  await simulation.begin();
  for (let step = 0; step < options.steps; step++) await simulation.step();
  return await simulation.end();
}

const MINIMUM = 15n * 10n ** 14n;

/** Why an order may be refused here. */
const REFUSALS = [
  "DISCONNECTED",
  "REDUCE_ONLY_REJECTED",
  "NO_DEPTH",
  "INVALID_PARAMETER",
  "WOULD_MATCH",
  "NO_VOLUME_HISTORY",
  "FILTER_NOTIONAL",
];

type Acknowledged = Readonly<{ fields: OrderFields; accountId: number; orderId: number }>;

class Simulation {
  readonly #parts: SimulationParts;
  readonly #random: Random;
  readonly #world: World;
  readonly #told: ToldOrders;
  readonly #lists: ListActs;
  readonly #acknowledged: Map<string, Acknowledged> = new Map();
  readonly #refused: Map<string, number> = new Map();
  readonly #checks: Promise<void>[] = [];
  #mid = 100;
  #placed = 0;
  #crashes = 0;
  #up = false;
  /** Failed appends after which the engine has waited. */
  #waited = 0;

  constructor(parts: SimulationParts, world: World) {
    this.#parts = parts;
    this.#random = parts.random;
    this.#world = world;
    this.#told = new ToldOrders({ updates: world.updates, lists: world.lists, volume: parts.tape });
    this.#lists = new ListActs(parts, world, this.#told);
    parts.submitting = (child) => this.#submitting(child);
    for (const accountId of [1, REDUCER, 3]) {
      const account = {
        accountId,
        userId: accountId,
        enableDataSharing: true,
        delegates: [],
        restricted: false,
      };
      world.accounts.put({ account, keys: [] });
    }
  }

  /** A first quote, so that there is something to jump from. */
  async begin(): Promise<void> {
    await this.#see([this.#prices(0.001)]);
  }

  async step(): Promise<void> {
    await this.#recovered();
    await this.#act(this.#random.below(200));
    await Promise.all(this.#checks.splice(0));
    if (this.#random.below(300) === 0) expect((await this.#world.engine.verify()).equal, "I53").toBe(true);
  }

  /** After a failed append the engine waits a little before it writes again. */
  async #recovered(): Promise<void> {
    while (this.#failures > this.#waited) {
      this.#waited = this.#failures;
      await this.#world.pass(150);
    }
  }

  async #act(dice: number): Promise<void> {
    if (dice < 65) return await this.#quote(1);
    if (dice < 80) return await this.#burst();
    if (dice < 90) return await this.#badQuote();
    if (dice < 108) return await this.#until(this.#place());
    if (dice < 120) return await this.#until(this.#lists.place());
    if (dice < 123) return await this.#until(this.#placeAgain());
    if (dice < 126) return await this.#until(this.#lists.placeAgain());
    if (dice < 132) return await this.#until(this.#cancel());
    if (dice < 136) return await this.#until(this.#lists.cancel());
    if (dice < 137) return await this.#until(this.#cancelAll());
    if (dice < 152) return await this.#print();
    if (dice < 190) return await this.#pass(this.#random.below(dice < 186 ? 1_500 : 10_000));
    if (dice < 193) return await this.#crash();
    if (dice < 196) return this.#parts.replenish();
    this.#parts.store.inject(this.#random.pick(["fail", "unknown"] as const), 1);
  }

  /** Faults stop, favourable quotes come: everything ends within a bound (I62). */
  async end(): Promise<SimulationReport> {
    const { store, venue } = this.#parts;
    store.inject("none");
    venue.settle();
    this.#parts.position = quantity("1000");
    await this.#recovered();
    await this.#world.engine.idle();
    for (let round = 0; round < 300 && this.#world.engine.metrics().openParents > 0; round++) {
      this.#mid = 100 * 1.07 ** (Math.abs((round % 60) - 30) - 15);
      await this.#see([this.#prices(0.001)]);
      this.#world.engine.market.print(this.#parts.tape.external(this.#world.clock.nowMs()));
      await this.#world.pass(500);
    }
    await this.#checkEnd();
    await this.#checkPlacements();
    await this.#lists.checkEnd();
    return {
      parents: this.#told.all.length,
      lists: this.#told.lists.size,
      released: this.#told.all.filter(({ releasedAtMs }) => releasedAtMs !== undefined).length,
      outdone: this.#told.all.filter(({ ended }) => ended?.reason === "OCO_TRIGGER").length,
      types: [
        ...new Set(
          this.#told.all
            .filter(({ executedQuantity }) => executedQuantity > 0)
            .map(({ intent }) => intent.type),
        ),
      ].sort(),
      children: venue.rows.size,
      crashes: this.#crashes,
      failures: this.#failures,
      ends: [...new Set(this.#told.all.map((order) => statusOf(order).status))].sort(),
    };
  }

  get #failures(): number {
    return this.#world.told.filter((name) => name === "append.failed").length;
  }

  #prices(spread: number): readonly [bid: string, ask: string] {
    return [this.#mid.toFixed(4), (this.#mid * (1 + spread)).toFixed(4)];
  }

  #walk(): readonly [bid: string, ask: string] {
    this.#mid = Math.min(140, Math.max(70, this.#mid * (1 + (this.#random.next() - 0.5) * 0.06)));
    return this.#prices(this.#random.next() * 0.004);
  }

  async #quote(count: number, beside: () => void = () => undefined): Promise<void> {
    const size = (): string => `${this.#random.below(3)}.${1 + this.#random.below(9)}`;
    const sizes = this.#random.below(3) === 0 ? { bidQuantity: size(), askQuantity: size() } : {};
    await this.#see(
      Array.from({ length: count }, () => this.#walk()),
      sizes,
      beside,
    );
  }

  /** Counted quotes at one moment, and other things among them. */
  async #see(
    prices: readonly (readonly [bid: string, ask: string])[],
    sizes: QuoteMore & Readonly<{ bidQuantity?: string; askQuantity?: string }> = {},
    beside: () => void = () => undefined,
  ): Promise<void> {
    const { engine } = this.#world;
    const failures = this.#failures;
    const quotes: QuoteStamp[] = [];
    for (const [bid, ask] of prices) {
      expect(engine.market.quote({ symbol: SYMBOL, bid, ask, ...sizes })).toBe("counted");
      const now = engine.quote(SYMBOL);
      if (now !== undefined) quotes.push(stampOf(now.quote));
      beside();
      for (let turns = this.#random.below(20); turns > 0; turns--) await Promise.resolve();
    }
    await engine.idle();
    this.#told.counted(quotes, this.#failures > failures);
  }

  /** A trade is told, or several. */
  async #print(): Promise<void> {
    for (let left = 1 + this.#random.below(3); left > 0; left--) this.#tellTrade();
    await this.#world.engine.idle();
  }

  #tellTrade(): void {
    this.#world.engine.market.print(this.#parts.tape.next(this.#world.clock.nowMs()));
  }

  /** Several things at once. */
  async #burst(): Promise<void> {
    const doing: Promise<void>[] = [];
    await this.#quote(1 + this.#random.below(4), () => {
      const dice = this.#random.below(8);
      if (dice === 0) doing.push(this.#place());
      else if (dice === 1) doing.push(this.#cancel());
      else if (dice === 2) doing.push(this.#lists.place());
      else if (dice === 3) doing.push(this.#lists.cancel());
      else if (dice === 4) this.#tellTrade();
      else if (dice < 7) this.#parts.venue.tick();
    });
    await this.#until(Promise.all(doing).then(() => undefined));
  }

  async #badQuote(): Promise<void> {
    const nowMs = this.#world.clock.nowMs();
    const before = this.#told.triggered;
    const verdict = await this.#random.pick([
      () => this.#world.quote("0", "100"),
      () => this.#world.quote("120", "80"),
      () => this.#world.quote("1e2", "101"),
      () => this.#world.quote("60", "61", { timeMs: nowMs - 60_000 }),
      () => this.#world.quote("60", "61", { timeMs: nowMs + 5_000 }),
      () => this.#world.quote(...this.#jump()),
    ])();
    expect(verdict).not.toBe("counted");
    expect(this.#told.triggered, "I30").toBe(before);
  }

  /** A jump that the jump before does not confirm. */
  #jump(): readonly [bid: string, ask: string] {
    this.#up = !this.#up;
    return this.#up ? ["4000", "4001"] : ["2", "2.1"];
  }

  async #place(): Promise<void> {
    const reduces = this.#random.below(5) === 0;
    const accountId = reduces ? REDUCER : this.#random.pick([1, 3]);
    const newClientOrderId = `s${++this.#placed}`;
    const reducing = reduces ? { side: "SELL" as const, reduceOnly: true } : {};
    const fields = {
      ...randomFields(this.#random, this.#world.clock.nowMs()),
      newClientOrderId,
      ...reducing,
    };
    try {
      const { order, created } = await this.#world.engine.place({ accountId, order: fields });
      expect(created).toBe(true);
      this.#acknowledged.set(newClientOrderId, { fields, accountId, orderId: order.orderId });
    } catch (error) {
      if (!(error instanceof OrderError)) throw error;
      expect(REFUSALS).toContain(error.reason);
      this.#refused.set(newClientOrderId, accountId);
    }
  }

  async #placeAgain(): Promise<void> {
    const known = [...this.#acknowledged.values()];
    if (known.length === 0) return;
    const { fields, accountId, orderId } = this.#random.pick(known);
    const { order, created } = await this.#world.engine.place({ accountId, order: fields });
    expect([order.orderId, created], "I03").toEqual([orderId, false]);
    const other = this.#world.engine.place({ accountId, order: { ...fields, quantity: "77" } });
    await expect(other, "I04").rejects.toMatchObject({ reason: "DUPLICATE_ORDER" });
  }

  async #cancel(): Promise<void> {
    const orders = this.#told.all;
    if (orders.length === 0) return;
    const { accountId, orderId } = this.#random.pick(orders);
    const canceling = this.#world.engine.cancel({ accountId, orderId });
    const answer = await canceling.catch((error: OrderError) => error.reason);
    if (typeof answer !== "string") expect((answer.ended ?? answer.pendingEnd)?.status).toBe("CANCELED");
    else if (answer === "CANCEL_REJECTED") expect(this.#told.find(orderId)?.ended, "I52").toBeDefined();
    else expect(answer).toBe("DISCONNECTED");
  }

  async #cancelAll(): Promise<void> {
    const canceling = this.#world.engine.cancelAll(this.#random.pick([1, REDUCER, 3]));
    const result = await canceling.catch((error: OrderError) => error.reason);
    if (typeof result === "string") expect(result).toBe("DISCONNECTED");
    else expect(result.canceledCount + result.cancelPendingCount).toBe(result.matchedCount);
  }

  /** Lets time pass until it is done: after a failure the engine waits a little, and a host may be slow. */
  async #until(doing: Promise<void>): Promise<void> {
    let waits = true;
    const over = (): void => {
      waits = false;
    };
    doing.then(over, over);
    for (await this.#world.engine.idle(); waits; await this.#world.pass(50));
    await doing;
  }

  async #pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await this.#world.pass(Math.min(left, 500));
      this.#parts.venue.tick();
      await this.#world.engine.idle();
    }
  }

  /** The process dies; now and then the old engine does not know that it should. */
  async #crash(): Promise<void> {
    this.#parts.store.inject("none");
    await this.#pass(200);
    this.#crashes++;
    this.#parts.oldestAlive = this.#parts.engines + (this.#random.below(4) === 0 ? 0 : 1);
    await this.#world.crash();
    this.#told.restarted();
    await this.#see([this.#prices(0.001)]);
  }

  /** A child reaches the venue: everything that must be so at this moment. */
  #submitting(child: ChildRequest): void {
    const order = this.#told.find(child.parentOrderId);
    if (order === undefined) throw new Error(`I20: ${child.childId} is of a parent that nobody knows`);
    expect(order.ended ?? order.pendingEnd, "I23").toBeUndefined();
    expect(order.intent.expireTimeMs ?? Number.POSITIVE_INFINITY, "I55").toBeGreaterThan(
      this.#world.clock.nowMs(),
    );
    for (const row of this.#parts.venue.rows.values()) {
      if (row.child.parentOrderId !== child.parentOrderId) continue;
      expect(this.#parts.venue.isLive(row), "I21, I24: a child of it may execute yet").toBe(false);
    }
    expect(add(order.executedQuantity, child.quantity) <= order.intent.quantity, "I12").toBe(true);
    this.#checkMarket(order, child);
    if (order.list !== undefined) this.#checks.push(this.#checkSibling(order, order.list.legs));
    if (order.child?.childId !== child.childId) this.#checks.push(this.#checkIntent(order, child));
  }

  #checkMarket(order: ParentOrder, child: ChildRequest): void {
    const now = this.#world.engine.quote(SYMBOL);
    expect(now?.fresh, "I25").toBe(true);
    if (now === undefined) return;
    const { limitPrice } = child;
    const capped =
      limitPrice === undefined ? order : { ...order, intent: { ...order.intent, price: limitPrice } };
    const levels = executableLevels(order, now.quote);
    const { quantity: visible, value } = executable(capped, { levels, wanted: child.quantity });
    expect(visible > 0, "I25").toBe(true);
    expect(child.reduceOnly || value >= MINIMUM, "I14").toBe(true);
  }

  /** The store holds the intent at this very moment: it is read before anything else happens. */
  async #checkIntent(order: ParentOrder, child: ChildRequest): Promise<void> {
    const range = { shard: shardOfId(order.orderId), after: order.record - 1, limit: 1_000 };
    const records = await this.#parts.reader.readRecords(range);
    const facts = records.flatMap(({ changes }) => changes.flatMap((change) => change.facts));
    const intents = facts.map((fact) => (fact.kind === "CHILD_INTENDED" ? fact.child.childId : ""));
    expect(intents, "I20").toContain(child.childId);
  }

  /** The store holds the end of the other leg of a pair at this very moment (I40). */
  async #checkSibling(order: ParentOrder, legs: readonly number[]): Promise<void> {
    const pair = legs
      .map((legId) => this.#told.find(legId))
      .filter((leg) => leg !== undefined && isOfPair(leg));
    const sibling = pair.find((leg) => leg?.orderId !== order.orderId);
    if (!isOfPair(order) || sibling === undefined || sibling.ended !== undefined) return;
    const range = { shard: shardOfId(order.orderId), after: sibling.record, limit: 1_000 };
    const changes = (await this.#parts.reader.readRecords(range)).flatMap((record) => record.changes);
    const facts = changes.filter(({ orderId }) => orderId === sibling.orderId).flatMap((one) => one.facts);
    expect(
      facts.map(({ kind }) => kind),
      "I40: the sibling has not ended",
    ).toContain("ENDED");
  }

  async #checkEnd(): Promise<void> {
    const { engine, alerts } = this.#world;
    const open = this.#told.all.filter(({ ended }) => ended === undefined);
    const stories = await Promise.all(open.map(({ orderId }) => engine.story(orderId)));
    expect(
      stories.map((story) => story?.waitingFor),
      "I62",
    ).toEqual([]);
    const nothing = { openParents: 0, inFlight: 0, unknown: 0, venueQueue: 0, pendingCommands: 0 };
    expect(engine.metrics()).toMatchObject(nothing);
    expect((await engine.verify()).equal, "I53").toBe(true);
    const overfilled = new Set(
      alerts.filter(({ alert }) => alert === "OVERFILL").map(({ orderId }) => orderId),
    );
    for (const order of this.#told.all) {
      const { orderId, executedQuantity, intent } = order;
      expect(executedQuantity, "I10: what the venue executed").toBe(this.#parts.venue.executedOf(orderId));
      if (executedQuantity > intent.quantity) expect(overfilled.has(orderId), "I11").toBe(true);
      expect(await engine.findAny(orderId), "I54: told and stored").toEqual(order);
    }
  }

  async #checkPlacements(): Promise<void> {
    const { engine } = this.#world;
    for (const [clientOrderId, { accountId, orderId }] of this.#acknowledged) {
      expect((await engine.find({ accountId, clientOrderId }))?.orderId, "I01").toBe(orderId);
    }
    for (const [clientOrderId, accountId] of this.#refused) {
      expect(await engine.find({ accountId, clientOrderId }), "I02").toBeUndefined();
    }
    for (const accountId of [1, REDUCER, 3]) {
      const ids = this.#told.all
        .filter((order) => order.accountId === accountId)
        .map(({ orderId }) => orderId);
      expect(ids, "I05").toEqual([...ids].sort((a, b) => b - a));
    }
    const names = this.#told.all.map((order) => `${order.accountId} ${order.intent.clientOrderId}`);
    expect(new Set(names).size, "I03").toBe(names.length);
  }
}

const isOfPair = ({ list }: ParentOrder): boolean => list?.role === "protective" || list?.role === "profit";
