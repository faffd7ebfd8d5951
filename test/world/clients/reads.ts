import { shardOf } from "../../../src/lifecycle/index.ts";
import type { JsonValue } from "../../../src/wire/index.ts";
import { checkTrust } from "../invariants/cluster.ts";
import type { SeenOrder } from "../journal-book.ts";
import type { ClientContext } from "./client-context.ts";
import type { Entry } from "./ledger.ts";
import { hasLeft, judgeSnapshot } from "./placements.ts";
import type { InstanceReply } from "./transport.ts";
import { arrayOf, codeOf, numberOf } from "./wire.ts";

/** Codes with which a valid read may be refused. */
const PASSING: readonly number[] = [-1000, -1001, -1003, -1006, -1007, -1021];

/** The reads of a client: single orders and lists, pages of both, and the rules they must satisfy. */
export class Reads {
  readonly #context: ClientContext;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  async act(): Promise<void> {
    const dice = this.#context.random.below(20);
    const entry = this.#anyEntry();
    if (dice < 9 && entry !== undefined) return await this.#one(entry);
    if (dice < 14) return await this.#pages();
    if (dice < 17) return await this.#lists();
    await this.#public();
  }

  /** Checks that everything acknowledged exists under its client id. */
  async audit(): Promise<void> {
    const { parts, accountId } = this.#context;
    for (const entry of parts.ledger.created)
      if (entry.intent.accountId === accountId) await this.#one(entry, true);
  }

  #anyEntry(): Entry | undefined {
    const { parts, accountId, random } = this.#context;
    const own = parts.ledger.created.filter((entry) => entry.intent.accountId === accountId);
    return own.length === 0 ? undefined : random.pick(own);
  }

  async #one(entry: Entry, mustAnswer = false): Promise<void> {
    const { intent, created = 0 } = entry;
    const { parts, transport, random, accountId } = this.#context;
    const wasGone = hasLeft(parts, entry);
    const { requireThat } = parts;
    const isOrder = intent.kind === "order";
    const byId = random.chance(0.5);
    const orderKey = byId ? { orderId: created } : { clientOrderId: intent.clientId };
    const listKey = byId ? { orderListId: created } : { listClientOrderId: intent.clientId };
    const answer = await transport.ask({
      verb: "GET",
      path: isOrder ? "/api/order" : "/api/v3/orderList",
      method: isOrder ? "order.status" : "orderList.status",
      fields: isOrder ? { symbol: intent.symbol, ...orderKey } : listKey,
    });
    if (typeof answer === "string") return;
    const { reply } = answer;
    const code = codeOf(reply);
    const reported = (): string => `${intent.clientId}: ${JSON.stringify(reply.body).slice(0, 300)}`;
    // A replaced process that has not noticed does not know later changes.
    const isOld = !this.#isOwner(answer) && (code === -2013 || PASSING.includes(code));
    this.#trusted(answer);
    // It may have left during the read, and have been placed again.
    const isAnother = entry.created !== created;
    if ((isAnother && code !== 0) || hasLeft(parts, entry))
      return this.#left(answer, wasGone && byId, reported);
    requireThat(code === 0 || isOld || (PASSING.includes(code) && !mustAnswer), "I01", reported);
    if (code !== 0) return this.#failed(answer);
    const id = numberOf(reply.body, isOrder ? "orderId" : "orderListId");
    requireThat(
      id === created || (isAnother && id === entry.created),
      "I03",
      () => `${reported()} in place of ${created}`,
    );
    if (isOrder) judgeSnapshot(parts, reply.body, accountId);
    else this.#judgeList(reply.body);
  }

  /** Judges the answer to a read of what has left the store. Its client id may be that of a later order. */
  #left(answer: InstanceReply, isGone: boolean, reported: () => string): void {
    const { requireThat, situations } = this.#context.parts;
    const code = codeOf(answer.reply);
    const isReported =
      code === -2013 || PASSING.includes(code) || (code === 0 && !(isGone && this.#isOwner(answer)));
    requireThat(isReported, "Records leave with their orders", () => `${reported()} has left`);
    if (code === -2013) situations.observe("order that has left is read");
  }

  /** Checks that a node of a cluster answers a read only while it may rely on its lease. */
  #trusted({ instance, reply }: InstanceReply): void {
    const { parts, accountId } = this.#context;
    const code = codeOf(reply);
    if (code !== 0 && code !== -2013) return;
    const act = { what: "answers a read", shard: shardOf(accountId), atMs: parts.time.trueMs };
    checkTrust(parts, instance, { ...act, invariant: "I60" });
  }

  /** Returns whether the process that answered owns the shard of the account. */
  #isOwner({ instance }: Pick<InstanceReply, "instance">): boolean {
    return instance.holdings.owns(shardOf(this.#context.accountId));
  }

  #failed({ instance, reply }: InstanceReply): void {
    if (reply.status >= 500 && instance.storeFaults > 0)
      this.#context.parts.situations.observe("read refused while the store fails");
  }

  /** Checks that a list is done if and only if every leg has ended (I44). */
  #judgeList(body: JsonValue): void {
    const { parts, accountId } = this.#context;
    const reports = arrayOf(body, "orderReports") as readonly Readonly<Record<string, JsonValue>>[];
    for (const report of reports) judgeSnapshot(parts, report, accountId);
    const isDone = (body as Readonly<Record<string, JsonValue>>).listStatusType === "ALL_DONE";
    const over = reports.every(({ apiState, status }) => apiState === status);
    parts.requireThat(isDone === over, "I44", () => JSON.stringify(body).slice(0, 300));
  }

  /**
   * Follows the pages of all orders. Each order that exists all the time must be on one of them, and ids must fall
   * (I70).
   */
  async #pages(): Promise<void> {
    const { parts, transport, random, accountId } = this.#context;
    const { journal, requireThat, situations, fleet } = parts;
    const includeHistory = random.chance(0.3);
    const newestFirst = random.chance(0.3);
    const limit = random.pick([1, 3, 10, 100]);
    const instance = fleet.servingAccount(accountId);
    const acknowledged = this.#acknowledged();
    // A leg may be released on disk before its process has the store's confirmation.
    const isCalm = instance?.appending === 0 && instance.storeFaults === 0;
    const isReceived = (order: SeenOrder | undefined): boolean => isCalm || !order?.released;
    const before = acknowledged.filter((id) => {
      const order = journal.find(id);
      return includeHistory || (isShown(order) && isReceived(order));
    });
    const seen: number[] = [];
    let afterOrderId = 0;
    for (let page = 0; page < 8; page++) {
      const answer = await transport.ask({
        verb: "GET",
        path: "/api/v3/openOrders",
        method: "openOrders.status",
        fields: {
          apiManaged: true,
          limit,
          includeHistory,
          newestFirst,
          ...(afterOrderId !== 0 && { afterOrderId }),
        },
      });
      if (typeof answer === "string" || answer.instance !== instance) return;
      const { reply } = answer;
      const code = codeOf(reply);
      requireThat(code === 0 || PASSING.includes(code), "I70", () => JSON.stringify(reply.body));
      if (code !== 0) return this.#failed(answer);
      this.#trusted(answer);
      const orders = arrayOf(reply.body, "orders");
      for (const order of orders) judgeSnapshot(parts, order, accountId);
      seen.push(...orders.map((order) => numberOf(order, "orderId")));
      afterOrderId = numberOf(reply.body, "nextOrderId");
      if (page > 0 && includeHistory) situations.observe("history over several pages");
      if (afterOrderId === 0)
        return this.#judgePages({ before, seen, newestFirst, includeHistory, instance });
    }
  }

  /** Returns the ids of all acknowledged orders, and of all legs of acknowledged lists. */
  #acknowledged(): readonly number[] {
    const { parts, accountId } = this.#context;
    return parts.ledger.created.flatMap(({ intent, created = 0 }) => {
      if (intent.accountId !== accountId) return [];
      return intent.kind === "order" ? [created] : (parts.journal.lists.get(created)?.legs ?? []);
    });
  }

  #judgePages(
    pages: Readonly<{
      before: readonly number[];
      seen: readonly number[];
      newestFirst: boolean;
      includeHistory: boolean;
      instance: InstanceReply["instance"] | undefined;
    }>,
  ): void {
    const { journal, requireThat, situations } = this.#context.parts;
    const { before, seen, newestFirst, includeHistory, instance } = pages;
    const sorted = seen.every((id, index) => {
      const previous = seen[index - 1];
      return previous === undefined || (newestFirst ? id > previous : id < previous);
    });
    requireThat(sorted, "I70", () => `ids ${seen}, newestFirst ${newestFirst}`);
    if (instance === undefined || !this.#isOwner({ instance })) return;
    const there = new Set(seen);
    const expected = includeHistory ? before : before.filter((id) => journal.open.has(id));
    if (expected.length < before.length) situations.observe("order ended between two pages");
    const missing = expected.filter((id) => !there.has(id) && !journal.departed.has(id));
    requireThat(missing.length === 0, "I70", () => `${missing} are on no page of ${seen}`);
  }

  async #lists(): Promise<void> {
    const { parts, transport, random } = this.#context;
    const isOpen = random.chance(0.5);
    const answer = await transport.ask({
      verb: "GET",
      path: isOpen ? "/api/v3/openOrderList" : "/api/v3/allOrderList",
      method: isOpen ? "openOrderLists.status" : "allOrderLists",
      fields: { ...(!isOpen && { limit: 1 + random.below(50) }) },
    });
    if (typeof answer === "string") return;
    const { reply } = answer;
    const code = codeOf(reply);
    parts.requireThat(code === 0 || PASSING.includes(code), "I71", () => JSON.stringify(reply.body));
    if (code !== 0) return this.#failed(answer);
    this.#trusted(answer);
    for (const list of reply.body as readonly JsonValue[]) this.#judgeList(list);
  }

  async #public(): Promise<void> {
    const { parts, transport, random } = this.#context;
    const { symbol } = random.pick(parts.markets);
    const route = random.pick([
      { path: "/api/ticker", method: "ticker", fields: { symbol } },
      { path: "/api/depth", method: "depth", fields: { symbol } },
      { path: "/api/status", method: "status", fields: {} },
      { path: "/api/time", method: "time", fields: {} },
    ]);
    const answer = await transport.send({
      method: "GET",
      target: "symbol" in route.fields ? `${route.path}?symbol=${symbol.replace("/", "%2F")}` : route.path,
      rawHeaders: [],
      body: new Uint8Array(),
      remoteAddress: "127.0.0.1",
    });
    if (typeof answer === "string") return;
    const { status } = answer.reply;
    parts.requireThat(
      status === 400 || status < 400 || status >= 429,
      "public routes answer",
      () => `${route.path} ${status}`,
    );
  }
}

/** Returns whether an order is on the pages of open orders. Held legs are not. */
const isShown = (order: SeenOrder | undefined): boolean =>
  order !== undefined && order.ended === undefined && !order.held;
