import { contentsOf } from "../../../src/adapters/memory/disk.ts";
import { add, type Quantity, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import type { ChildReport, ChildRequest, ParentOrder } from "../../../src/model/index.ts";
import type { OrderFields } from "../../../src/requests/index.ts";
import { createRandom, type Random } from "../../../src/simulator/random/index.ts";
import { type Cluster, type ClusterNode, createCluster, settle, TTL_MS } from "../../support/cluster.ts";
import { createScriptedVenue, filled, type ScriptedVenue } from "../../support/scripted-venue.ts";
import { SYMBOL } from "../../support/world.ts";

/** Result of one run: what happened, and the rule that was broken, if any. */
export type ClusterReport = Readonly<{
  seed: number;
  takeovers: number;
  orders: number;
  children: number;
  broken?: string;
}>;

const STEPS = 30;
const SECOND = 1_000;
const SKEWS_MS = [10_000, -10_000, 3_600_000, -3_600_000, 400];

/**
 * A seeded world of one to five nodes on one store and one venue. Processes die, stop, are cut off, hear the store late,
 * and have wrong clocks. The rules are checked from outside: by the store, by the venue, and by what clients were told.
 */
class ClusterWorld {
  readonly cluster: Cluster;
  readonly #random: Random;
  readonly #nodes: ClusterNode[] = [];
  readonly #told: Map<number, ParentOrder> = new Map();
  readonly #canceled: Set<number> = new Set();
  /** Children that the venue has executed or refused. */
  readonly #truth: Map<string, ChildReport> = new Map();
  readonly #submissions: Map<string, number> = new Map();
  /** Number of records in the store when a node claimed the shards. */
  readonly #keptAtClaim: Map<string, number> = new Map();
  readonly #most: number;
  #started = 0;
  #price = 100;
  takeovers = 0;
  broken: string | undefined;

  constructor(seed: number) {
    this.#random = createRandom(seed).of("cluster");
    this.#most = 1 + this.#random.below(5);
    this.cluster = createCluster(this.#venue(), {
      submitting: (name, child) => this.#submitting(name, child),
      claimed: (name) => this.#claimed(name),
    });
  }

  get orders(): number {
    return this.#told.size;
  }

  get children(): number {
    return this.#submissions.size;
  }

  async run(): Promise<void> {
    await this.#start();
    await this.#quote();
    for (let step = 0; step < STEPS && this.broken === undefined; step++) await this.#act();
    if (this.broken === undefined) await this.#end();
  }

  async #act(): Promise<void> {
    const dice = this.#random.below(100);
    if (this.#alive.length < this.#most && this.#random.chance(0.4)) await this.#start();
    if (dice < 30) await this.cluster.pass(100 * (1 + this.#random.below(40)));
    else if (dice < 48) await this.#quote();
    else if (dice < 66) await this.#place();
    else if (dice < 72) this.#cancel();
    else if (dice < 84) this.#fault();
    else if (dice < 90) await this.#placeAndKill();
    else if (dice < 93)
      void this.#any()
        ?.engine?.handOver()
        .catch(() => undefined);
    else await this.cluster.pass(TTL_MS + 100 * this.#random.below(50));
    await settle();
    await this.#read();
  }

  /** Nodes whose process lives. */
  get #alive(): readonly ClusterNode[] {
    return this.#nodes.filter(({ process }) => !process.dead);
  }

  #any(): ClusterNode | undefined {
    const alive = this.#alive;
    return alive.length === 0 ? undefined : this.#random.pick(alive);
  }

  #named(name: string): ClusterNode | undefined {
    return this.#nodes.find((node) => node.name === name);
  }

  async #start(): Promise<void> {
    const name = `node-${++this.#started}`;
    const node = await this.cluster.start(name, { venueQuietMs: 500 });
    this.#nodes.push(node);
    node.standby.takenOver.then(
      (engine) => this.#knowsAll(node, engine.metrics().journalSequence),
      () => undefined,
    );
  }

  /** Checks that an engine that takes over has read every record, also one that its predecessor appended last. */
  #knowsAll(node: ClusterNode, read: number): void {
    const kept = this.#keptAtClaim.get(node.name) ?? 0;
    this.#demand(read >= kept, `WR: ${node.name} takes over with ${read} of ${kept} records`);
  }

  async #quote(): Promise<void> {
    this.#price += this.#random.below(7) - 3;
    await this.cluster.quote(String(this.#price), String(this.#price + 1));
  }

  #fields(): OrderFields {
    const offset = this.#random.below(9) - 3;
    const stop = { type: "STOP_MARKET", side: "SELL", stopPrice: String(this.#price - offset) } as const;
    const limit = { type: "SYNTHETIC_LIMIT", side: "BUY", price: String(this.#price - offset) } as const;
    return { symbol: SYMBOL, quantity: "1", ...(this.#random.chance(0.5) ? stop : limit) } as OrderFields;
  }

  async #place(node = this.#any()): Promise<void> {
    const order = this.#fields();
    node?.process.enter(() => {
      node.engine?.place({ accountId: 1, order }).then(
        (placed) => {
          if (!node.process.dead) this.#told.set(placed.order.orderId, placed.order);
        },
        () => undefined,
      );
    });
    await settle();
  }

  /** Places, and kills the owner. Sometimes its append reaches the store only when others watch already. */
  async #placeAndKill(): Promise<void> {
    const owner = this.#alive.find((node) => node.engine !== undefined && !node.process.paused);
    if (owner !== undefined && this.#random.chance(0.5))
      owner.heldMs = this.#random.below(TTL_MS + 4 * SECOND);
    await this.#place(owner);
    owner?.process.kill();
    await this.cluster.pass(2 * TTL_MS);
  }

  #cancel(): void {
    const node = this.#any();
    const [orderId] = [...this.#told.keys()].slice(-3);
    if (orderId === undefined) return;
    node?.process.enter(() => {
      node.engine?.cancel({ accountId: 1, orderId }).then(
        ({ ended }) => ended !== undefined && !node.process.dead && this.#canceled.add(orderId),
        () => undefined,
      );
    });
  }

  #fault(): void {
    const node = this.#any();
    if (node === undefined) return;
    const { clock } = this.cluster;
    const after = (run: () => void): void =>
      void clock.schedule(clock.monotonicMs() + this.#random.below(3 * TTL_MS), run);
    const kind = this.#random.below(6);
    if (kind === 0) node.process.kill();
    if (kind === 1) {
      node.process.pause();
      after(() => node.process.resume());
    }
    if (kind === 2) {
      node.cut = true;
      after(() => (node.cut = false));
    }
    if (kind === 3) {
      node.unleased = true;
      after(() => (node.unleased = false));
    }
    if (kind === 4) {
      node.lateMs = this.#random.below(4 * SECOND);
      after(() => (node.lateMs = 0));
    }
    if (kind === 5) {
      node.skewMs = this.#random.pick(SKEWS_MS);
      after(() => (node.skewMs = 0));
    }
  }

  /** Reads every told order from every engine. What an engine answers must be true now. */
  async #read(): Promise<void> {
    for (const node of this.#alive) {
      if (node.engine === undefined || node.process.paused) continue;
      for (const orderId of [...this.#told.keys()].slice(-4)) {
        node.engine.find({ accountId: 1, orderId }).then(
          (order) => {
            this.#demand(this.#owns(node), `I60: ${node.name} answers a read without the shards`);
            this.#demand(order !== undefined, `I01, I61: ${node.name} does not know order ${orderId}`);
            const isOver = order?.ended !== undefined || order?.pendingEnd !== undefined;
            this.#demand(
              isOver || !this.#canceled.has(orderId),
              `I52: order ${orderId} lives after its cancel`,
            );
          },
          () => undefined,
        );
      }
    }
    await settle();
  }

  #owns(node: ClusterNode): boolean {
    const { incarnation } = node.standby.status();
    return contentsOf(this.cluster.disk).shards.every((shard) => shard.incarnation === incarnation);
  }

  /** Checks that a child comes once, and from a node that may rely on its lease. */
  #submitting(name: string, { childId }: ChildRequest): void {
    const count = (this.#submissions.get(childId) ?? 0) + 1;
    this.#submissions.set(childId, count);
    this.#demand(count === 1, `I21: ${childId} is submitted ${count} times`);
    const node = this.#named(name);
    if (node === undefined || node.process.paused) return;
    const sinceMs = this.cluster.clock.monotonicMs() - node.renewedMs;
    this.#demand(sinceMs < TTL_MS, `WP: ${name} sends ${sinceMs} ms after its last renewal`);
    this.#demand(this.#owns(node), `I26, I60: ${name} sends without the shards`);
  }

  /** Checks that nobody lost its shards within a ttl of its last renewal. */
  #claimed(name: string): void {
    this.takeovers++;
    const kept = contentsOf(this.cluster.disk).shards.reduce((sum, { records }) => sum + records.last, 0);
    this.#keptAtClaim.set(name, kept);
    for (const other of this.#nodes) {
      if (other.name === name || other.standby.status().state !== "active") continue;
      const row = contentsOf(this.cluster.disk).nodes.get(other.standby.status().incarnation);
      if (row?.dead !== true) continue;
      const sinceMs = this.cluster.clock.monotonicMs() - other.renewedMs;
      this.#demand(sinceMs >= TTL_MS, `WN: ${name} takes over ${sinceMs} ms after ${other.name} renewed`);
    }
  }

  #demand(holds: boolean, what: string): void {
    if (!holds) this.broken ??= what;
  }

  #venue(): ScriptedVenue {
    const venue = createScriptedVenue(this.#random.chance(0.3) ? { ratePerSecond: 0.5 } : {});
    const nowMs = (): number => this.cluster.clock.monotonicMs();
    venue.venueTimeMs = async () => nowMs();
    venue.onLookup = ({ childId }) => this.#truth.get(childId) ?? { notFoundAtMs: nowMs() };
    venue.onSubmit = (child) => {
      const isLate = nowMs() > (venue.deadlines.at(-1) ?? 0);
      const fate = this.#random.below(10);
      if (isLate || fate === 0) return "silence";
      const report = filled(child, String(this.#price));
      this.#truth.set(child.childId, report);
      return fate < 3 ? "silence" : report;
    };
    return venue;
  }

  /** Ends all faults. One node must serve, know every order as the venue and the clients do, and agree with its journal. */
  async #end(): Promise<void> {
    for (const node of this.#alive) {
      node.process.resume();
      Object.assign(node, { cut: false, unleased: false, lateMs: 0, heldMs: 0, skewMs: 0 });
    }
    await this.#start();
    await this.cluster.pass(4 * TTL_MS);
    const serving = this.#alive.filter((node) => node.engine !== undefined && this.#owns(node));
    this.#demand(serving.length === 1, `I61, I62: ${serving.length} nodes serve`);
    const [node] = serving;
    if (node === undefined) return;
    await this.cluster.pass(TTL_MS);
    const engine = this.cluster.active(node);
    const verified = await engine.verify();
    this.#demand(verified.equal, "I53: the state differs from the journal");
    const followed = this.#alive.find(({ standby }) => standby.status().state === "ready");
    if (followed !== undefined)
      this.#demand(
        (await followed.standby.verify()).live === verified.live,
        "I53: a standby has another state",
      );
    for (const orderId of this.#told.keys()) {
      const order = await engine.find({ accountId: 1, orderId });
      this.#demand(order !== undefined, `I01: order ${orderId} is lost`);
      if (order !== undefined) this.#compare(order);
    }
  }

  /** Checks that an order executed what the venue says, and waits for no child. */
  #compare({ orderId, executedQuantity, child }: ParentOrder): void {
    let executed: Quantity = ZERO_QUANTITY;
    for (const { parentOrderId, childId } of this.cluster.venue.submitted) {
      if (parentOrderId !== orderId) continue;
      for (const { quantity } of this.#truth.get(childId)?.fills ?? []) executed = add(executed, quantity);
    }
    this.#demand(child === undefined, `I62, I63: order ${orderId} still waits for ${child?.childId}`);
    this.#demand(
      executed === executedQuantity,
      `I15: order ${orderId} counts ${executedQuantity} of ${executed}`,
    );
  }
}

/** Runs the cluster of a seed. */
export async function runCluster(seed: number): Promise<ClusterReport> {
  const world = new ClusterWorld(seed);
  try {
    await world.run();
  } catch (error) {
    world.broken ??= error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const { takeovers, orders, children, broken } = world;
  return { seed, takeovers, orders, children, ...(broken !== undefined && { broken }) };
}
