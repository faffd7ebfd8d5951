import { shardOf } from "../../../src/lifecycle/index.ts";
import type { SeenOrder } from "../journal-book.ts";
import type { ClientContext } from "./client-context.ts";
import type { Entry } from "./ledger.ts";
import type { InstanceReply } from "./transport.ts";
import { type ClientRequest, codeOf, numberOf } from "./wire.ts";

/** Codes with which a valid cancel may be refused. */
const PASSING: readonly number[] = [-1000, -1001, -1003, -1006, -1007, -1021];

/** The cancels of a client: of orders, of lists, of everything, and many at once. */
export class Cancels {
  readonly #context: ClientContext;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** Sends one cancel, or a storm of them. */
  async act(): Promise<void> {
    const { random, parts } = this.#context;
    const dice = random.below(20);
    if (dice === 0) return await this.#all();
    if (dice > 2) return await this.#one();
    parts.situations.observe("cancel storm");
    await Promise.all(Array.from({ length: 3 + random.below(10) }, () => this.#one()));
  }

  async #one(): Promise<void> {
    const { random, parts, accountId } = this.#context;
    const own = parts.ledger.created.filter((entry) => entry.intent.accountId === accountId);
    if (own.length === 0) return;
    const entry = own[Math.max(0, own.length - 1 - random.below(30))];
    if (entry === undefined) return;
    return entry.intent.kind === "order" ? await this.#order(entry) : await this.#list(entry);
  }

  async #order({ intent, created = 0 }: Entry): Promise<void> {
    const { random } = this.#context;
    const key = random.chance(0.5) ? { orderId: created } : { origClientOrderId: intent.clientId };
    await this.#cancel([created], {
      path: "/api/order",
      method: "order.cancel",
      fields: { symbol: intent.symbol, ...key },
    });
  }

  async #list({ intent, created = 0 }: Entry): Promise<void> {
    const { random, parts } = this.#context;
    const legs = parts.journal.lists.get(created)?.legs ?? [];
    if (random.chance(0.7)) {
      const key = random.chance(0.5) ? { orderListId: created } : { listClientOrderId: intent.clientId };
      return await this.#cancel(legs, { path: "/api/v3/orderList", method: "orderList.cancel", fields: key });
    }
    if (legs.length === 0) return;
    const orderId = random.pick(legs);
    const { ended, list } = parts.journal.find(orderId) ?? {};
    // The exits of a bracket by fills stay for what its entry has executed.
    const isAlone = ended !== undefined || (list?.kind === "BRACKET" && list.role === "working");
    const fields = { symbol: intent.symbol, orderId };
    await this.#cancel(isAlone ? [orderId] : legs, { path: "/api/order", method: "order.cancel", fields });
  }

  async #cancel(orderIds: readonly number[], request: Omit<ClientRequest, "verb">): Promise<void> {
    const { parts, transport } = this.#context;
    const { situations, journal } = parts;
    const before = orderIds.map((orderId) => journal.find(orderId));
    if (before.some((order) => order?.child !== undefined && order.ended === undefined)) {
      const isList = orderIds.length > 1;
      situations.observe(
        isList ? "cancel of a list with a child in flight" : "cancel of an order with a child in flight",
      );
    }
    const answer = await transport.ask({ verb: "DELETE", ...request });
    if (typeof answer !== "string") this.#judge(orderIds, answer);
  }

  /**
   * Judges the answer to a cancel. A successful cancel has ended everything or will; a refused one found nothing to end
   * (I43, I52).
   */
  #judge(orderIds: readonly number[], { instance, reply }: InstanceReply): void {
    const { parts, accountId } = this.#context;
    const { requireThat, journal, situations } = parts;
    const code = codeOf(reply);
    const reported = (): string => `${orderIds}: ${JSON.stringify(reply.body).slice(0, 300)}`;
    requireThat(
      code === 0 || code === -2011 || PASSING.includes(code),
      "the reply to a cancel matches the contract",
      reported,
    );
    if (!instance.holdings.owns(shardOf(accountId))) return;
    const orders = orderIds.map((orderId) => journal.find(orderId));
    if (code === 0)
      requireThat(orders.every(isOver), "I43", () => `${reported()} is canceled, but continues`);
    if (code === -2011) {
      situations.observe("cancel refused");
      const isOne = orders.length === 1;
      requireThat(
        isOne ? isEnded(orders[0]) : orders.some(isEnded),
        "I52",
        () => `${reported()} cannot be canceled`,
      );
    }
  }

  async #all(): Promise<void> {
    const { parts, transport, accountId } = this.#context;
    const { requireThat, journal, situations } = parts;
    const own = (): readonly SeenOrder[] =>
      (journal.byAccount.get(accountId) ?? []).flatMap((id) => {
        const order = journal.open.has(id) ? journal.find(id) : undefined;
        return order === undefined ? [] : [order];
      });
    const before = own();
    if (before.some(({ child }) => child !== undefined))
      situations.observe("cancel-all with a child in flight");
    const answer = await transport.ask({
      verb: "DELETE",
      path: "/api/v3/openOrders",
      method: "openOrders.cancelAll",
      fields: { apiManaged: true },
    });
    if (typeof answer === "string") return;
    const { reply, instance } = answer;
    const code = codeOf(reply);
    requireThat(code === 0 || PASSING.includes(code), "cancel-all is answered", () =>
      JSON.stringify(reply.body),
    );
    if (code !== 0 || !instance.holdings.owns(shardOf(accountId))) return;
    const counts = ["matchedCount", "canceledCount", "cancelPendingCount"].map((name) =>
      numberOf(reply.body, name),
    );
    const [matched = 0, canceled = 0, pending = 0] = counts;
    requireThat(canceled + pending === matched, "Cancel-all, and pages of lists", () =>
      JSON.stringify(reply.body),
    );
    const left = before.filter(({ orderId }) => !isOver(journal.find(orderId)));
    requireThat(
      left.length === 0,
      "I43",
      () => `${left.map(({ orderId }) => orderId)} continue after cancel-all`,
    );
  }
}

const isEnded = (order: SeenOrder | undefined): boolean => order?.ended !== undefined;

const isOver = (order: SeenOrder | undefined): boolean =>
  order === undefined || order.ended !== undefined || order.pendingEnd?.status === "CANCELED";
