import type { Quantity } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import { admit } from "../lifecycle/index.ts";
import type { Account, Instrument, ParentIntent, ParentOrder } from "../model/index.ts";
import { canonicalIntent } from "../requests/index.ts";
import type { EngineOptions, Placement } from "./api.ts";
import type { Core, QuoteNow, Slot } from "./core.ts";
import type { Shard } from "./shard.ts";

/** What placing needs from its engine. */
export type PlacementHost = Readonly<{
  shardFor: (accountId: number) => Shard;
  openParents: () => number;
  quote: (symbol: string) => QuoteNow | undefined;
  draining: () => boolean;
}>;

type Command = Readonly<{ accountId: number; intent: ParentIntent }>;
type Parts = Pick<EngineOptions, "accounts" | "instruments" | "exposure">;

/**
 * The way of a new parent into the engine. One account and client id name one order for as long as its record is
 * kept (decision 1): copies that come at once wait for the first and answer with its order.
 */
export class Placements {
  readonly #core: Core;
  readonly #parts: Parts;
  readonly #host: PlacementHost;
  readonly #claims: Map<string, Promise<unknown>> = new Map();
  #pending = 0;

  constructor(core: Core, parts: Parts, host: PlacementHost) {
    this.#core = core;
    this.#parts = parts;
    this.#host = host;
  }

  /** Commands that wait for the store, or for a copy of them that does. */
  get pending(): number {
    return this.#pending;
  }

  async place(command: Command): Promise<Placement> {
    if (this.#pending >= this.#core.settings.maxPendingCommands) throw new OrderError("SERVER_BUSY");
    this.#pending++;
    try {
      return await this.#placeOnce(command);
    } finally {
      this.#pending--;
    }
  }

  async #placeOnce(command: Command): Promise<Placement> {
    const { accountId, intent } = command;
    const key = `${accountId}:${intent.clientOrderId}`;
    for (let claim = this.#claims.get(key); claim !== undefined; claim = this.#claims.get(key)) await claim;
    const open = this.#findOpen(command);
    if (open?.durable !== undefined) return existing(open.durable, intent);
    const placing = this.#place(command);
    const claim = placing.then(nothing, nothing);
    this.#claims.set(key, claim);
    try {
      return await placing;
    } finally {
      this.#claims.delete(key);
    }
  }

  #findOpen({ accountId, intent }: Command): Slot | undefined {
    const shard = this.#host.shardFor(accountId);
    const orderId = shard.accounts.get(accountId)?.byClientId.get(intent.clientOrderId);
    return orderId === undefined ? undefined : shard.slots.get(orderId);
  }

  async #place(command: Command): Promise<Placement> {
    const { accountId, intent } = command;
    const ended = await this.#findEnded(command);
    if (ended !== undefined) return existing(ended, intent);
    this.#demandService();
    const instrument = this.#instrument(intent.symbol);
    demandRights(await this.#account(accountId), instrument.symbol);
    const position = intent.reduceOnly ? await this.#position(accountId, intent.symbol) : undefined;
    // The host's answers took time: the engine may have begun to drain.
    this.#demandService();
    const shard = this.#host.shardFor(accountId);
    if (shard.reloading) throw new OrderError("DISCONNECTED");
    this.#demandRoom(shard, accountId);
    const now = this.#host.quote(intent.symbol);
    const facts = admit(intent, {
      nowMs: this.#core.nowMs(),
      minimum: this.#core.rules.minimum,
      ...(now?.fresh === true ? { quote: now.quote } : {}),
      ...(position === undefined ? {} : { position }),
    });
    const pending = shard.accept({ accountId, intent, facts });
    return { order: await shard.whenDurable(pending), created: true };
  }

  async #findEnded({ accountId, intent }: Command): Promise<ParentOrder | undefined> {
    try {
      return await this.#core.store.findEnded({ accountId, clientOrderId: intent.clientOrderId });
    } catch (error) {
      throw new OrderError("DISCONNECTED", {}, { cause: error });
    }
  }

  #demandService(): void {
    const { advancedOrders, liquidityMode } = this.#core.settings;
    if (!advancedOrders || !liquidityMode) throw new OrderError("UNSUPPORTED_OPERATION");
    if (this.#host.draining()) throw new OrderError("SHUTTING_DOWN");
  }

  #instrument(symbol: string): Instrument {
    const instrument = this.#parts.instruments.find(symbol);
    if (instrument === undefined || instrument.kind !== "liquidity")
      throw new OrderError("BAD_SYMBOL", { field: "symbol" });
    if (instrument.status !== "TRADING") throw new OrderError("MARKET_CLOSED");
    return instrument;
  }

  async #account(accountId: number): Promise<Account | undefined> {
    try {
      return await this.#parts.accounts.account(accountId);
    } catch (error) {
      throw new OrderError("DISCONNECTED", {}, { cause: error });
    }
  }

  async #position(accountId: number, symbol: string): Promise<Quantity> {
    try {
      return await this.#parts.exposure.position(accountId, symbol);
    } catch (error) {
      throw new OrderError("DISCONNECTED", {}, { cause: error });
    }
  }

  #demandRoom(shard: Shard, accountId: number): void {
    const { maxOpenParents, maxOpenParentsPerAccount } = this.#core.settings;
    const mine = shard.accounts.get(accountId)?.size ?? 0;
    if (mine >= maxOpenParentsPerAccount || this.#host.openParents() >= maxOpenParents)
      throw new OrderError("SERVER_BUSY");
  }
}

const nothing = (): void => undefined;

/** A repeated intent answers with its order; another intent under the same id is refused (I03, I04). */
function existing(order: ParentOrder, intent: ParentIntent): Placement {
  if (canonicalIntent(order.intent) !== canonicalIntent(intent)) {
    throw new OrderError("DUPLICATE_ORDER", { field: "newClientOrderId" });
  }
  return { order, created: false };
}

function demandRights(account: Account | undefined, symbol: string): void {
  if (account?.enableDataSharing !== true) throw new OrderError("ACCOUNT_DISABLED");
  if (account.restricted === true) throw new OrderError("ACCOUNT_RESTRICTED");
  if (account.restricted !== false && account.restricted.includes(symbol))
    throw new OrderError("SYMBOL_RESTRICTED");
}
