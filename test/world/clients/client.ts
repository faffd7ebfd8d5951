import type { Random } from "../../../src/common/random.ts";
import type { ListForm, OrderFields } from "../../../src/requests/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import type { WireRequest } from "../../../src/wire/index.ts";
import type { WorldParts } from "../parts.ts";
import type { ClientPlan } from "../plan.ts";
import { Amends } from "./amends.ts";
import { Cancels } from "./cancels.ts";
import type { Entry, Intent } from "./ledger.ts";
import { Natives } from "./natives.ts";
import { hasLeft, judgePlacement } from "./placements.ts";
import { randomList } from "./random-lists.ts";
import { randomOrder } from "./random-orders.ts";
import { Reads } from "./reads.ts";
import { type InstanceReply, Transport } from "./transport.ts";
import { type ClientRequest, codeOf, type NoReply } from "./wire.ts";

const LIST_PATHS: Readonly<Record<ListForm, string>> = {
  oco: "/api/v3/orderList/oco",
  oto: "/api/v3/orderList/oto",
  otoco: "/api/v3/orderList/otoco",
  legacyOco: "/api/v3/order/oco",
  bracket: "/api/v3/orderList/bracket",
  oca: "/api/v3/orderList/oca",
};

/** A client. It places, retries, cancels, reads, listens, and keeps a ledger of the answers. */
export class Client {
  readonly transport: Transport;
  readonly #parts: WorldParts;
  readonly #plan: ClientPlan;
  readonly #random: Random;
  readonly #cancels: Cancels;
  readonly #amends: Amends;
  readonly #reads: Reads;
  /** Present if the host has native orders. */
  readonly #natives: Natives | undefined;
  /** Requests that may be sent again unchanged. */
  readonly #sent: Readonly<{ entry: Entry; request: WireRequest }>[] = [];
  #placed = 0;

  constructor(parts: WorldParts, plan: ClientPlan) {
    this.#parts = parts;
    this.#plan = plan;
    this.#random = parts.random.of(`client ${plan.accountId}`);
    this.transport = new Transport(parts, plan, this.#random.of("line"));
    const context = { parts, transport: this.transport, accountId: plan.accountId };
    this.#cancels = new Cancels({ ...context, random: this.#random.of("cancels") });
    this.#amends = new Amends({ ...context, random: this.#random.of("amends") });
    this.#reads = new Reads({ ...context, random: this.#random.of("reads") });
    this.#natives = parts.plan.brings.nativeOrders
      ? new Natives({ ...context, random: this.#random.of("natives") }, parts.native)
      : undefined;
  }

  /** Takes one action. Its results may come later. */
  act(): void {
    const dice = this.#random.below(100);
    const { beside } = this.#parts;
    if (dice < 24) return beside(this.#place(this.#order()));
    if (dice < 38) return beside(this.#place(this.#list()));
    if (dice < 42) return beside(this.#sendAgain());
    if (dice < 46) return beside(this.#placeAgain());
    if (dice < 49) return beside(this.#placeOther());
    if (dice < 52) return beside(this.#placeTwice());
    if (dice < 58) return beside(this.#amends.act());
    if (dice < 71) return beside(this.#cancels.act());
    if (dice < 84) return beside(this.#reads.act());
    if (dice < 92 && this.#natives !== undefined) return beside(this.#natives.act());
    this.transport.tend();
  }

  /** Looks up everything that was acknowledged, after all faults are over. */
  async audit(): Promise<void> {
    await this.#reads.audit();
    await this.#natives?.audit();
  }

  #order(): Intent {
    const { time, markets } = this.#parts;
    const clientId = `s${this.#plan.accountId}-${++this.#placed}`;
    const symbol = this.#random.pick(markets).symbol;
    const fields = randomOrder(this.#random, { symbol, nowMs: time.wallMs, reduces: this.#plan.reduces });
    return this.#intent("order", clientId, {
      path: "/api/order",
      method: "order.place",
      fields: { ...fields, newClientOrderId: clientId },
    });
  }

  #list(): Intent {
    const { time, markets } = this.#parts;
    const clientId = `l${this.#plan.accountId}-${++this.#placed}`;
    const symbol = this.#random.pick(markets).symbol;
    const { form, fields } = randomList(this.#random, {
      symbol,
      id: clientId,
      nowMs: time.wallMs,
      reduces: this.#plan.reduces,
    });
    return this.#intent("list", clientId, {
      path: LIST_PATHS[form],
      method: `orderList.place.${form}`,
      fields,
    });
  }

  #intent(
    kind: Intent["kind"],
    clientId: string,
    rest: Readonly<{ path: string; method: string; fields: RequestParameters }>,
  ): Intent {
    return { kind, clientId, accountId: this.#plan.accountId, symbol: String(rest.fields.symbol), ...rest };
  }

  async #place(intent: Intent): Promise<void> {
    const { ledger, plan, time } = this.#parts;
    if (ledger.sent >= plan.orders) return;
    ledger.sent++;
    const entry = ledger.open(intent, time.trueMs);
    if (this.#random.chance(0.5))
      return await this.#judged(entry, () => this.transport.ask(requestOf(intent)));
    const request = this.transport.signed(requestOf(intent));
    this.#sent.push({ entry, request });
    if (this.#sent.length > 50) this.#sent.splice(0, 25);
    await this.#judged(entry, () => this.transport.send(request));
  }

  /** Sends the same bytes again. */
  async #sendAgain(): Promise<void> {
    if (this.#sent.length === 0) return;
    const { entry, request } = this.#random.pick(this.#sent);
    if (entry.waiting > 0) this.#parts.situations.observe("same bytes sent while the first wait");
    await this.#judged(entry, () => this.transport.send(request), "again");
  }

  /** Sends the same intent again, with a new signature. */
  async #placeAgain(): Promise<void> {
    const entry = this.#anyEntry();
    if (entry === undefined) return;
    if (entry.intent.kind === "list") this.#parts.situations.observe("list sent again");
    await this.#judged(entry, () => this.transport.ask(requestOf(entry.intent)), "again");
  }

  /** Sends the same intent twice at the same time, over any transports. */
  async #placeTwice(): Promise<void> {
    const { ledger, plan, time, situations } = this.#parts;
    const intent = this.#random.chance(0.5) ? this.#order() : this.#list();
    if (ledger.sent >= plan.orders) return;
    ledger.sent++;
    const entry = ledger.open(intent, time.trueMs);
    situations.observe("same id sent at once over two interfaces");
    const requesting = (): Promise<void> =>
      this.#judged(entry, () => this.transport.ask(requestOf(intent)), "again");
    const { fields } = intent;
    const inside = this.#random.chance(0.5) && intent.kind === "order";
    const other = (): Promise<void> =>
      this.#judged(entry, () => this.transport.placeInside(fields as unknown as OrderFields), "again");
    await Promise.all(inside ? [other(), requesting(), other()] : [requesting(), requesting()]);
  }

  /** Sends another intent under an id that is taken. */
  async #placeOther(): Promise<void> {
    const { ledger, requireThat, situations, journal } = this.#parts;
    const own = ledger.created.filter(
      (entry) => entry.intent.accountId === this.#plan.accountId && !hasLeft(this.#parts, entry),
    );
    if (own.length === 0) return;
    const entry = this.#random.pick(own);
    const { intent } = entry;
    const fields = { ...intent.fields, ...otherQuantity(intent.fields) };
    const before = journal.named(intent.accountId, intent.clientId);
    const answer = await this.transport.ask({ ...requestOf(intent), fields });
    if (typeof answer === "string") return;
    const code = codeOf(answer.reply);
    if (answer.reply.status >= 500 || answer.reply.status === 429 || hasLeft(this.#parts, entry)) return;
    const isRefused = code === -2010 || code === -1130 || code === -1021;
    requireThat(
      isRefused,
      "I04",
      () => `${intent.clientId} with another quantity: ${JSON.stringify(answer.reply.body)}`,
    );
    if (before !== undefined)
      requireThat(
        journal.named(intent.accountId, intent.clientId)?.orderId === before.orderId,
        "I04",
        intent.clientId,
      );
    situations.observe("same id with another intent");
  }

  #anyEntry(): Entry | undefined {
    const { ledger } = this.#parts;
    const own = [...ledger.entries.values()].filter(
      (entry) => entry.intent.accountId === this.#plan.accountId,
    );
    return own.length === 0 ? undefined : own[Math.max(0, own.length - 1 - this.#random.below(40))];
  }

  async #judged(
    entry: Entry,
    ask: () => Promise<InstanceReply | NoReply>,
    sent: "first" | "again" = "first",
  ): Promise<void> {
    entry.waiting++;
    const answer = await ask();
    entry.waiting--;
    if (answer === "down") return;
    judgePlacement(this.#parts, entry, answer, sent);
  }
}

function requestOf({ path, method, fields }: Intent): ClientRequest {
  return { verb: "POST", path, method, fields };
}

function otherQuantity(fields: RequestParameters): RequestParameters {
  const name = "workingQuantity" in fields ? "workingQuantity" : "quantity";
  return { [name]: "77" };
}
