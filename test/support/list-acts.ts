import { expect } from "vitest";
import { OrderError } from "../../src/errors/index.ts";
import { listStatusOf } from "../../src/lifecycle/index.ts";
import type { ListIntent } from "../../src/model/index.ts";
import { intentOfList, type RandomList, randomList } from "./simulation-lists.ts";
import { REDUCER, type SimulationParts } from "./simulation-parts.ts";
import type { ToldOrders } from "./told-orders.ts";
import type { World } from "./world.ts";

/** Why a list may be refused here. */
const REFUSALS = ["DISCONNECTED", "REDUCE_ONLY_REJECTED", "NO_DEPTH", "WOULD_MATCH", "INVALID_PARAMETER"];

type Acknowledged = Readonly<{ list: RandomList; accountId: number; listId: number }>;

/** What clients of a simulation do with lists, and what they may expect of the answers. */
export class ListActs {
  readonly #parts: SimulationParts;
  readonly #world: World;
  readonly #told: ToldOrders;
  readonly #acknowledged: Map<string, Acknowledged> = new Map();
  readonly #refused: Map<string, number> = new Map();
  #placed = 0;

  constructor(parts: SimulationParts, world: World, told: ToldOrders) {
    this.#parts = parts;
    this.#world = world;
    this.#told = told;
  }

  /** Places a list; it is there whole or not at all. */
  async place(): Promise<void> {
    const { random } = this.#parts;
    const reduces = random.below(5) === 0;
    const accountId = reduces ? REDUCER : random.pick([1, 3]);
    const id = `list-${++this.#placed}`;
    const list = randomList(random, { id, nowMs: this.#world.clock.nowMs(), reduces });
    try {
      const placed = await this.#place(accountId, intentOfList(list));
      expect(placed.created).toBe(true);
      this.#acknowledged.set(id, { list, accountId, listId: placed.listId });
    } catch (error) {
      if (!(error instanceof OrderError)) throw error;
      expect(REFUSALS).toContain(error.reason);
      this.#refused.set(id, accountId);
    }
  }

  /** The same list again is the same list, another under its id is refused. */
  async placeAgain(): Promise<void> {
    const known = [...this.#acknowledged.values()];
    if (known.length === 0) return;
    const { list, accountId, listId } = this.#parts.random.pick(known);
    expect(await this.#place(accountId, intentOfList(list)), "I03").toEqual({ listId, created: false });
    const intent = intentOfList(list);
    const legs = intent.legs.map((leg) => ({
      ...leg,
      intent: { ...leg.intent, quantity: 77_000_000 as never },
    }));
    const other = this.#place(accountId, { ...intent, legs });
    await expect(other, "I04").rejects.toMatchObject({ reason: "DUPLICATE_ORDER" });
  }

  async #place(accountId: number, list: ListIntent): Promise<Readonly<{ listId: number; created: boolean }>> {
    const answer = await this.#world.engine.placeList({ accountId, list });
    return { listId: answer.list.listId, created: answer.created };
  }

  /** A cancel ends every leg, or will; it is refused only for a list that is done. */
  async cancel(): Promise<void> {
    const lists = [...this.#told.lists];
    if (lists.length === 0) return;
    const [listId, { accountId, legs }] = this.#parts.random.pick(lists);
    const canceling = this.#world.engine.cancelList({ accountId, listId });
    const answer = await canceling.catch((error: OrderError) => error.reason);
    const over = legs.map((legId) => {
      const leg = this.#told.find(legId);
      return leg?.ended !== undefined || leg?.pendingEnd?.status === "CANCELED";
    });
    if (typeof answer !== "string") expect(over, "I43").toEqual(legs.map(() => true));
    else if (answer === "CANCEL_REJECTED") {
      expect(legs.map((legId) => this.#told.find(legId)?.ended === undefined)).not.toContain(true);
    } else expect(answer).toBe("DISCONNECTED");
  }

  /** After everything has ended: every list that was acknowledged is there, done, as its legs are; no other is. */
  async checkEnd(): Promise<void> {
    const { engine } = this.#world;
    for (const [listClientOrderId, { accountId, listId }] of this.#acknowledged) {
      const list = await engine.findList({ accountId, listClientOrderId });
      expect(list?.listId, "I01").toBe(listId);
      if (list === undefined) continue;
      expect(listStatusOf(list).listStatusType, "I44").toBe("ALL_DONE");
      expect(list.legs, "I54").toEqual(list.legs.map(({ orderId }) => this.#told.find(orderId)));
      expect(list.legs.map(({ orderId }) => orderId)).toEqual(this.#told.lists.get(listId)?.legs);
    }
    for (const [listClientOrderId, accountId] of this.#refused)
      expect(await engine.findList({ accountId, listClientOrderId }), "I02").toBeUndefined();
    const told = [...this.#told.lists].sort(([a], [b]) => b - a);
    for (const accountId of [1, REDUCER, 3]) {
      const ids = told.filter(([, list]) => list.accountId === accountId).map(([listId]) => listId);
      const all = await engine.allLists({ accountId, limit: 1_000 });
      expect(
        all.map(({ listId }) => listId),
        "I44: none is lost",
      ).toEqual(ids);
      expect(await engine.openLists({ accountId, limit: 1_000 })).toEqual([]);
    }
  }
}
