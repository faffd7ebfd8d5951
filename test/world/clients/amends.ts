import { shardOf } from "../../../src/lifecycle/index.ts";
import { sameTerms, termsLike } from "../../../src/model/index.ts";
import { type AmendFields, amendmentOf } from "../../../src/requests/index.ts";
import type { SeenOrder } from "../journal-book.ts";
import type { ClientContext } from "./client-context.ts";
import { levelOf } from "./random-orders.ts";
import type { InstanceReply } from "./transport.ts";
import { codeOf } from "./wire.ts";

/** Codes with which an amend may be refused. */
const REFUSED: readonly number[] = [
  ...[-1000, -1001, -1003, -1006, -1007, -1013, -1015, -1016, -1021, -1022, -1102, -1106],
  ...[-1111, -1112, -1116, -1128, -1130, -2010, -2011, -2013, -2022, -2038],
];

type Changes = Readonly<{ fields: AmendFields; amendId?: string }>;

/** The amends of a client: one, the same twice, or many at once. */
export class Amends {
  readonly #context: ClientContext;
  #named = 0;
  #last: (Changes & Readonly<{ orderId: number }>) | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** Sends one amend of an order that was open a moment ago, the last one again, or a storm of them. */
  async act(): Promise<void> {
    const { random, parts } = this.#context;
    if (this.#last !== undefined && random.chance(0.2)) {
      parts.situations.observe("amend sent again");
      return await this.#send(this.#last.orderId, this.#last);
    }
    const order = this.#anyOpen();
    if (order === undefined) return;
    const count = random.below(10) === 0 ? 5 : 1;
    await Promise.all(
      Array.from({ length: count }, () => {
        const fields = randomChanges(random, order, parts.time.wallMs);
        const amendId = random.chance(0.5) ? { amendId: `a${++this.#named}` } : {};
        this.#last = { orderId: order.orderId, fields, ...amendId };
        return this.#send(order.orderId, this.#last);
      }),
    );
  }

  #anyOpen(): SeenOrder | undefined {
    const { parts, random, accountId } = this.#context;
    const { journal } = parts;
    const open = (journal.byAccount.get(accountId) ?? []).filter((id) => journal.open.has(id)).slice(-20);
    return open.length === 0 ? undefined : journal.find(random.pick(open));
  }

  async #send(orderId: number, { fields, amendId }: Changes): Promise<void> {
    const { transport, parts } = this.#context;
    const symbol = parts.journal.find(orderId)?.intent.symbol ?? "";
    const answer = await transport.ask({
      verb: "PUT",
      path: "/api/order",
      method: "order.amend",
      fields: { symbol, orderId, ...fields, ...(amendId !== undefined && { amendId }) },
    });
    if (typeof answer !== "string")
      this.#judge(orderId, { fields, ...(amendId !== undefined && { amendId }) }, answer);
  }

  /** Judges the answer to an amend: one that is acknowledged is durable (I01), or asked for what the order had. */
  #judge(orderId: number, { fields, amendId }: Changes, { instance, reply }: InstanceReply): void {
    const { parts, accountId } = this.#context;
    const { requireThat, journal, ledger, situations } = parts;
    const code = codeOf(reply);
    const reported = (): string =>
      `${orderId} ${JSON.stringify(fields)}: ${JSON.stringify(reply.body).slice(0, 300)}`;
    requireThat(code === 0 || REFUSED.includes(code), "the reply to an amend is documented", reported);
    if (code !== 0) return situations.observe("amend refused");
    situations.observe("amend acknowledged");
    const order = journal.find(orderId);
    if (!instance.holdings.owns(shardOf(accountId)) || order === undefined) return;
    const { terms } = amendmentOf(fields);
    const made = order.amends.some(
      (one) =>
        one.amendId === amendId && sameTerms(termsLike({ ...order.intent, ...one.after }, terms), terms),
    );
    const changesNothing = amendId === undefined && sameTerms(termsLike(order.intent, terms), terms);
    requireThat(made || changesNothing, "I01", () => `${reported()} is acknowledged, but not durable`);
    const quote = instance.markets.newest(order.intent.symbol);
    if (ledger.amended.get(orderId)?.amends !== order.amends.length)
      ledger.amended.set(orderId, { amends: order.amends.length, generation: instance.generation, quote });
  }
}

/** Returns other values of some terms that an order has, near those of a new one. */
function randomChanges(random: ClientContext["random"], { intent }: SeenOrder, nowMs: number): AmendFields {
  const level = (): string => levelOf(80 + random.next() * 45);
  const { price, stopPrice, trailing, limitOffset, icebergQuantity, expireTimeMs } = intent;
  const distance = {
    bps: { trailingDelta: 50 + random.below(800) },
    percent: { price2: random.pick(["1", "2.5"]) },
    amount: { trailingAmount: levelOf(1 + random.next() * 6) },
  };
  const all: readonly AmendFields[] = [
    { quantity: `${1 + random.below(4)}.${random.below(10)}` },
    ...(price === undefined ? [] : [{ price: level() }]),
    ...(stopPrice === undefined ? [] : [{ stopPrice: level() }]),
    ...(trailing === undefined ? [] : [distance[trailing.kind]]),
    ...(limitOffset === undefined ? [] : [{ limitOffset: levelOf(random.next() * 2) }]),
    ...(icebergQuantity === undefined ? [] : [{ icebergQty: "0.6" }]),
    ...(expireTimeMs === undefined ? [] : [{ expireTime: nowMs + 1 + random.below(60_000) }]),
  ];
  return random.chance(0.2) ? { ...random.pick(all), ...random.pick(all) } : random.pick(all);
}
