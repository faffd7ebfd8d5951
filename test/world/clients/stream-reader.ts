import { parseExactQuantity, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import { shardOf } from "../../../src/lifecycle/index.ts";
import type { JsonValue } from "../../../src/wire/index.ts";
import type { WorldParts } from "../parts.ts";
import { exactOf } from "../venue-row.ts";
import type { Connection } from "./connection.ts";
import { member, numberOf } from "./wire.ts";

/** A client's view of its private stream, and the checks of the stream's rules. */
export class StreamReader {
  readonly #parts: WorldParts;
  readonly #accountId: number;
  readonly #connection: Connection;
  /** Executions that were reported, each with its order's id. */
  readonly reported: Set<string> = new Set();
  /** Executions that were counted before the stream began. */
  readonly #before: Set<string> = new Set();
  /** Number of executions of native orders before the stream began. */
  #nativesBefore = 0;
  #sequence: number | undefined;
  /** The time of owning the shard in which it began. */
  #span: unknown;
  #early: JsonValue[] = [];

  constructor(parts: WorldParts, accountId: number, connection: Connection) {
    this.#parts = parts;
    this.#accountId = accountId;
    this.#connection = connection;
  }

  /** Whether the stream reports everything that happens now: the process has owned the shard since it began. */
  get live(): boolean {
    const isOwner = this.#span !== undefined && this.#span === this.#spanNow;
    return this.#sequence !== undefined && this.#connection.open && isOwner;
  }

  get #spanNow(): unknown {
    return this.#connection.instance.holdings.spanOf(shardOf(this.#accountId));
  }

  /** Takes the answer to the subscription. */
  begin(result: JsonValue): void {
    const { requireThat, journal } = this.#parts;
    const sequence = numberOf(result, "sequence");
    requireThat(Number.isSafeInteger(sequence), "I54", () => `a subscription begins at ${sequence}`);
    requireThat(
      numberOf(result, "accountId") === this.#accountId,
      "I07",
      "a subscription to another account",
    );
    this.#sequence = sequence;
    this.#span = this.#spanNow;
    this.#nativesBefore = this.#parts.native.book.executions.length;
    for (const orderId of journal.byAccount.get(this.#accountId) ?? [])
      for (const id of journal.fills.get(orderId)?.keys() ?? []) this.#before.add(`${orderId} ${id}`);
    for (const event of this.#early.splice(0)) this.take(event);
  }

  /** Takes an event. */
  take(event: JsonValue): void {
    if (this.#sequence === undefined) return void this.#early.push(event);
    // The service could not determine in time whether the account may still listen.
    if (member(event, "e") === "eventStreamTerminated") return this.end();
    const { requireThat } = this.#parts;
    const sequence = numberOf(event, "sequence");
    if (Number.isNaN(sequence)) return;
    requireThat(sequence === this.#sequence + 1, "I54", () => `event ${sequence} after ${this.#sequence}`);
    this.#sequence = sequence;
    if (member(event, "e") !== "ORDER_TRADE_UPDATE") return;
    const reported = member(event, "o");
    const id = member(reported, "i");
    // Ids of native orders are positive.
    if (typeof id === "bigint" || numberOf(reported, "i") > 0) this.#native(reported);
    else this.#order(reported);
  }

  end(): void {
    this.#sequence = undefined;
  }

  /** Whether its reader does not read, so that events wait for it. */
  get slow(): boolean {
    return this.#connection.slow;
  }

  /** Returns the executions that were counted and not reported. */
  missing(): readonly string[] {
    const { journal, native } = this.#parts;
    const missing = native.book.executions
      .slice(this.#nativesBefore)
      .filter(({ order, execType }) => order.accountId === this.#accountId && execType === "TRADE")
      .map(({ executionId }) => `native ${executionId}`)
      .filter((key) => !this.reported.has(key));
    for (const orderId of journal.byAccount.get(this.#accountId) ?? []) {
      for (const id of journal.fills.get(orderId)?.keys() ?? []) {
        const key = `${orderId} ${id}`;
        if (!this.reported.has(key) && !this.#before.has(key)) missing.push(key);
      }
    }
    return missing;
  }

  /** Checks that an execution of a native order exists at the host, belongs to this account, and is reported once. */
  #native(reported: JsonValue | undefined): void {
    const { requireThat, native } = this.#parts;
    const executionId = member(reported, "executionId");
    const order = native.book.orders.get(BigInt(String(member(reported, "i"))))?.order;
    requireThat(
      order?.accountId === this.#accountId,
      "I07",
      () => `an event of native order ${member(reported, "i")}`,
    );
    if (member(reported, "x") !== "TRADE") return;
    const key = `native ${String(executionId)}`;
    const isTrue = native.book.executions.some(
      (one) => one.executionId === executionId && one.order.orderId === order?.orderId,
    );
    requireThat(isTrue, "I20", () => `${key} is reported, but the host does not have it`);
    requireThat(!this.reported.has(key), "I15", () => `${key} is reported twice`);
    this.reported.add(key);
  }

  #order(reported: JsonValue | undefined): void {
    const { requireThat, journal } = this.#parts;
    const orderId = numberOf(reported, "i");
    const order = journal.find(orderId);
    requireThat(order !== undefined, "I20", () => `an event of order ${orderId}, which is not durable`);
    if (order === undefined) return;
    requireThat(order.accountId === this.#accountId, "I07", () => `an event of order ${orderId}`);
    const executed = exactOf(
      parseExactQuantity(String(member(reported, "z"))) ?? { quantity: ZERO_QUANTITY },
    );
    requireThat(
      executed <= order.executed,
      "I20",
      () => `order ${orderId} is reported with a larger executed quantity than is durable`,
    );
    const execution = member(reported, "executionId");
    if (typeof execution !== "string") return;
    // Children of an order may have executions with the same id.
    const keys = [...(journal.fills.get(orderId)?.keys() ?? [])]
      .filter((name) => name.endsWith(` ${execution}`))
      .map((name) => `${orderId} ${name}`);
    requireThat(keys.length > 0, "I20", () => `${execution} of ${orderId} is reported, but is not durable`);
    if (member(reported, "x") !== "TRADE") return;
    const unreported = keys.filter((one) => !this.reported.has(one));
    const key = unreported.find((one) => !this.#before.has(one)) ?? unreported[0];
    requireThat(key !== undefined, "I15", () => `${execution} of ${orderId} is reported twice`);
    if (key !== undefined) this.reported.add(key);
  }
}
