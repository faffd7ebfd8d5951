import { parseQuantity } from "../../../src/decimal/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { type JsonValue, type WireRequest, writeJson } from "../../../src/wire/index.ts";
import type { WorldNative } from "../world-native.ts";
import type { ClientContext } from "./client-context.ts";
import { REFUSALS, UNSURE } from "./placements.ts";
import type { InstanceReply } from "./transport.ts";
import { arrayOf, type ClientRequest, codeOf, member, type NoReply } from "./wire.ts";

/** One signed request for a native order, and its client's knowledge of it. */
type SentOrder = {
  readonly request: WireRequest;
  readonly symbol: string;
  readonly clientId: string;
  waiting: number;
  unsure: number;
  /** The id in the answer. */
  created: bigint | undefined;
};

/** Codes with which a valid read or cancel may be refused. */
const PASSING: readonly number[] = [-1000, -1001, -1003, -1006, -1007, -1021];

/**
 * The native orders of a client. It places, retries, cancels and reads them, and compares the answers with the host's
 * own book.
 */
export class Natives {
  readonly #context: ClientContext;
  readonly #native: WorldNative;
  readonly #sent: SentOrder[] = [];

  constructor(context: ClientContext, native: WorldNative) {
    this.#context = context;
    this.#native = native;
  }

  async act(): Promise<void> {
    const { random } = this.#context;
    const dice = random.below(20);
    const sent = this.#sent.length === 0 ? undefined : random.pick(this.#sent);
    if (dice < 8 || sent === undefined) return await this.#place();
    if (dice < 11) return await this.#send(sent);
    if (dice < 14) return await this.#cancel(sent);
    if (dice < 17) return await this.#one(sent);
    await (dice < 19 ? this.#page(sent.symbol) : this.#history());
  }

  /** Checks that everything acknowledged exists. */
  async audit(): Promise<void> {
    for (const sent of this.#sent) if (sent.created !== undefined) await this.#one(sent, true);
  }

  async #place(): Promise<void> {
    const { parts, random, accountId, transport } = this.#context;
    const { ledger, plan, markets } = parts;
    if (ledger.sent >= plan.orders) return;
    ledger.sent++;
    const clientId = `n${accountId}-${this.#sent.length + 1}`;
    const { symbol } = random.pick(markets);
    const path = random.pick(["/api/order", "/api/v2/order"]);
    const fields = { symbol, newClientOrderId: clientId, ...this.#terms() };
    const request = transport.signed({ verb: "POST", path, method: "", fields });
    const sent: SentOrder = { request, symbol, clientId, waiting: 0, unsure: 0, created: undefined };
    this.#sent.push(sent);
    const copies = random.chance(0.15) ? 2 : 1;
    if (copies > 1) parts.situations.observe("native order sent twice at once");
    await Promise.all(Array.from({ length: copies }, () => this.#send(sent)));
  }

  #terms(): RequestParameters {
    const { random } = this.#context;
    const side = random.pick(["BUY", "SELL"]);
    const price = (80 + random.next() * 45).toFixed(4);
    const quantity = `${1 + random.below(3)}.5`;
    return random.pick<RequestParameters>([
      { side, type: "LIMIT", price, quantity },
      { side, type: "LIMIT", price, quantity, timeInForce: "IOC" },
      { side, type: "MARKET", quantity },
    ]);
  }

  /** Sends the same bytes, for the first time or again. */
  async #send(sent: SentOrder): Promise<void> {
    const { transport, parts } = this.#context;
    if (sent.created === undefined && sent.unsure > 0)
      parts.situations.observe("native order of unknown outcome sent again");
    sent.waiting++;
    const answer = await transport.send(sent.request);
    sent.waiting--;
    if (answer === "down") return;
    if (answer === "lost") sent.unsure++;
    else this.#judgePlacement(sent, answer);
    this.#judgeCopies(sent);
  }

  /** Checks the rule "A missing client id": one signed request is one order, however often it is sent. */
  #judgeCopies({ clientId, created }: SentOrder): void {
    const { accountId, parts } = this.#context;
    const there = this.#native.book.named(accountId, clientId);
    parts.requireThat(
      there.length <= 1,
      "A missing client id",
      () => `${clientId} is ${there.length} native orders`,
    );
    const id = there[0]?.orderId;
    parts.requireThat(
      created === undefined || created === id,
      "A missing client id",
      () => `${clientId} is ${id}, but was reported as ${created}`,
    );
  }

  #judgePlacement(sent: SentOrder, { reply }: InstanceReply): void {
    const { parts, accountId } = this.#context;
    const { requireThat } = parts;
    const code = codeOf(reply);
    const reported = (): string => `${sent.clientId}: ${writeJson(reply.body)}`;
    if (code === 0) {
      const id = idOf(reply.body);
      requireThat(id !== undefined && (sent.created ?? id) === id, "A missing client id", reported);
      sent.created = id;
      return this.#judgeView(reply.body, reported);
    }
    requireThat(
      [...REFUSALS, ...UNSURE].includes(code),
      "the reply to a native placement matches the contract",
      reported,
    );
    if (UNSURE.includes(code)) sent.unsure++;
    else if (sent.waiting === 0 && sent.unsure === 0 && sent.created === undefined)
      requireThat(
        this.#native.book.named(accountId, sent.clientId).length === 0,
        "I02",
        () => `${reported()}, but it exists`,
      );
  }

  /** Checks that the view of a native order belongs to this account and shows no more than the host has. */
  #judgeView(view: JsonValue | undefined, reported: () => string): void {
    const { parts, accountId } = this.#context;
    const id = idOf(view);
    const order = id === undefined ? undefined : this.#native.book.orders.get(id)?.order;
    const isOwn = order?.accountId === accountId && member(view, "accountId") === accountId;
    parts.requireThat(isOwn, "I07", reported);
    if (order === undefined) return;
    const executed = parseQuantity(String(member(view, "executedQty"))) ?? 0;
    const isTrue =
      member(view, "clientOrderId") === order.clientOrderId && executed <= order.executedQuantity;
    parts.requireThat(isTrue, "I16", reported);
  }

  async #cancel(sent: SentOrder): Promise<void> {
    const { parts } = this.#context;
    const reply = await this.#ask("DELETE", "/api/v2/order", this.#keyOf(sent));
    if (reply === undefined) return;
    const code = codeOf(reply);
    const reported = (): string => `${sent.clientId}: ${writeJson(reply.body)}`;
    const isKnown = code === 0 || code === -2011 || PASSING.includes(code);
    parts.requireThat(isKnown, "the reply to a cancel of a native order matches the contract", reported);
    if (code !== 0 && code !== -2011) return;
    const open = this.#native.book.named(this.#context.accountId, sent.clientId).filter(isOpen);
    // An order that did not exist at the cancel may have arrived since.
    const isNew = code === -2011 && (sent.waiting > 0 || sent.unsure > 0);
    parts.requireThat(
      open.length === 0 || isNew,
      "Charsets and look-ups",
      () => `${reported()}, but it continues`,
    );
    if (code === 0) parts.situations.observe("native order canceled");
  }

  async #one(sent: SentOrder, mustAnswer = false): Promise<void> {
    const { parts } = this.#context;
    const mustBe = sent.created !== undefined;
    const reply = await this.#ask("GET", "/api/v2/order", this.#keyOf(sent));
    if (reply === undefined) return;
    const code = codeOf(reply);
    const reported = (): string => `${sent.clientId}: ${writeJson(reply.body)}`;
    const isMissing = code === -2013 && !mustBe;
    // In a cluster, a node that lost its shards refuses.
    const isSure = mustAnswer && parts.plan.cluster === undefined;
    parts.requireThat(code === 0 || isMissing || (PASSING.includes(code) && !isSure), "I01", reported);
    const isRefusal = !mustBe && member(reply.body, "status") === "REJECTED";
    if (code === 0 && !isRefusal) this.#judgeView(reply.body, reported);
  }

  /** Checks a page: one latest snapshot of each order, by rising id, including every acknowledged order. */
  async #page(symbol: string): Promise<void> {
    const { parts } = this.#context;
    const before = this.#sent.filter((sent) => sent.symbol === symbol && sent.created !== undefined);
    const reply = await this.#ask("GET", "/api/v2/allOrders", { symbol, limit: 1_000 });
    if (reply === undefined) return;
    const reported = (): string => writeJson(reply.body).slice(0, 300);
    if (codeOf(reply) !== 0) return parts.requireThat(PASSING.includes(codeOf(reply)), "I70", reported);
    const views = reply.body as readonly JsonValue[];
    for (const view of views) this.#judgeView(view, reported);
    const ids = views.flatMap((view) => idOf(view) ?? []);
    const isRising = ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? id));
    parts.requireThat(isRising && ids.length === views.length, "I70", reported);
    const missing = before.filter(({ created }) => created === undefined || !ids.includes(created));
    parts.requireThat(
      missing.length === 0,
      "I70",
      () => `${missing.map(({ clientId }) => clientId)} are not on the page`,
    );
  }

  async #history(): Promise<void> {
    const { parts, accountId } = this.#context;
    const reply = await this.#ask("POST", "/api/v2/getOrderHistory", {});
    if (reply === undefined) return;
    const reported = (): string => writeJson(reply.body).slice(0, 300);
    if (codeOf(reply) !== 0) return parts.requireThat(PASSING.includes(codeOf(reply)), "I70", reported);
    const ids = new Set(
      this.#native.book.executions
        .filter(({ order }) => order.accountId === accountId)
        .map((one) => one.executionId),
    );
    const isTrue = (view: JsonValue): boolean => {
      const isRejection = member(view, "execType") === "REJECTED";
      return isRejection || ids.has(String(member(view, "executionId")));
    };
    parts.requireThat(arrayOf(reply.body, "orders").every(isTrue), "I07", reported);
  }

  #keyOf({ symbol, clientId, created }: SentOrder): RequestParameters {
    const byId = this.#context.random.chance(0.5) && created !== undefined;
    return { symbol, ...(byId ? { orderId: created } : { origClientOrderId: clientId }) };
  }

  async #ask(
    verb: ClientRequest["verb"],
    path: string,
    fields: RequestParameters,
  ): Promise<InstanceReply["reply"] | undefined> {
    const answer: InstanceReply | NoReply = await this.#context.transport.ask({
      verb,
      path,
      method: "",
      fields,
    });
    return typeof answer === "string" ? undefined : answer.reply;
  }
}

const isOpen = ({ status }: Readonly<{ status: string }>): boolean =>
  status === "NEW" || status === "PARTIALLY_FILLED";

/** Returns the id of a native order. It is positive and exact, whatever its size. */
function idOf(view: JsonValue | undefined): bigint | undefined {
  const id = member(view, "orderId");
  return typeof id === "bigint" || typeof id === "number" ? BigInt(id) : undefined;
}
