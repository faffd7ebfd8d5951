import { errorMessage, pause } from "../common/index.ts";
import {
  add,
  exactQuantityText,
  executionValueText,
  formatQuantity,
  formatScaled,
  NOTIONAL_SCALE,
  parseScaled,
} from "../decimal/index.ts";
import { quantityOf } from "../host-answers/index.ts";
import type { PaperVenue } from "../paper-exchange/index.ts";
import type {
  AccountEvent,
  AccountEvents,
  AssetBalance,
  BalanceNow,
  Balances,
  Clock,
  Exposure,
  Instruments,
  PositionNow,
  ReportedFill,
  Telemetry,
} from "../ports/index.ts";

/** What a fill changed: the base asset first, then the quote asset. */
type FillChanges = readonly [base: Change, quote: Change];

type Change = Pick<BalanceNow, "asset" | "change">;

/** Returns the changes of the two balances that a fill exchanged; undefined for an unknown instrument. */
function changesOf({ symbol, side, fill }: ReportedFill, instruments: Instruments): FillChanges | undefined {
  const instrument = instruments.find(symbol);
  if (instrument === undefined) return undefined;
  const change = (asset: string, amount: string, grows: boolean): Change => {
    return { asset, change: grows ? amount : `-${amount}` };
  };
  return [
    change(instrument.baseAsset, exactQuantityText(fill), side === "BUY"),
    change(instrument.quoteAsset, executionValueText(fill), side === "SELL"),
  ];
}

/**
 * Creates the account events of a sandbox from fills: the changes of the two balances that were exchanged, and the position
 * in the instrument. The position is the balance of the base asset unless one was set. There is no margin, so there are no
 * margin calls.
 */
export function createAccountEvents(
  exchange: Readonly<{
    venue: Pick<PaperVenue, "balances" | "balancesAfter" | "positions" | "positionAfter">;
    instruments: Instruments;
  }>,
): AccountEvents {
  const { venue, instruments } = exchange;
  return {
    afterFill(executed) {
      const { accountId, symbol, fill } = executed;
      const changes = changesOf(executed, instruments);
      if (changes === undefined) return undefined;
      const [base] = changes;
      // The venue may have executed more by now, and not all of that may be durable.
      const held = venue.balancesAfter(fill.executionId) ?? venue.balances(accountId);
      const position = venue.positionAfter(fill.executionId) ?? venue.positions(accountId)[symbol];
      return {
        reason: "ORDER",
        timeMs: fill.timeMs,
        balances: changes.map(({ asset, change }) => ({ asset, wallet: held[asset] ?? "0", change })),
        positions: [{ symbol, amount: position ?? held[base.asset] ?? "0" }],
      };
    },
    subscribe: () => () => undefined,
  };
}

/** Most fills whose events wait for the venue. Of more, the oldest of the account is left out. */
const MOST_WAITING = 1_000;

/** Pause before the venue is asked again. */
const AGAIN_MS = 500;

/** Dependencies of the account events of a venue elsewhere. */
type RemoteAccountParts = Readonly<{
  balances: Balances;
  exposure: Exposure;
  instruments: Instruments;
  clock: Clock;
  telemetry: Telemetry;
}>;

/** A fill that waits for its event, with what it changed. */
type Waiting = Readonly<{ fill: ReportedFill; changes: FillChanges }>;

/**
 * Account events of a venue in another process, until they are closed. It is asked for balances and positions after each
 * fill, so an event comes a moment after the fill and has the balances of that moment, which may include later fills. The
 * fills of an account keep their order. While the venue does not answer it is asked again.
 */
export class RemoteAccountEvents implements AccountEvents {
  readonly #parts: RemoteAccountParts;
  readonly #listeners: Set<(event: AccountEvent) => void> = new Set();
  readonly #waiting: Map<number, Waiting[]> = new Map();
  #size = 0;
  #isClosed = false;

  constructor(parts: RemoteAccountParts) {
    this.#parts = parts;
  }

  afterFill(fill: ReportedFill): undefined {
    const changes = changesOf(fill, this.#parts.instruments);
    if (changes === undefined || this.#isClosed) return undefined;
    const queue = this.#waiting.get(fill.accountId);
    if (queue === undefined) {
      this.#waiting.set(fill.accountId, [{ fill, changes }]);
      void this.#deliver(fill.accountId);
    } else {
      if (this.#size >= MOST_WAITING && queue.shift() !== undefined) {
        this.#size--;
        this.#parts.telemetry.event("warn", "account-events.left-out", { accountId: fill.accountId });
      }
      queue.push({ fill, changes });
    }
    this.#size++;
    return undefined;
  }

  subscribe(listener: (event: AccountEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
  }

  /** Tells the fills of an account, as many at a time as wait when the venue is asked. */
  async #deliver(accountId: number): Promise<void> {
    const queue = this.#waiting.get(accountId) ?? [];
    for (let isFailing = false; queue.length > 0; ) {
      const fills = queue.splice(0);
      try {
        const now = await this.#query(accountId, fills);
        if (this.#isClosed) return;
        this.#size -= fills.length;
        for (const fill of fills) this.#publish(accountId, fill, now);
        isFailing = false;
      } catch (error) {
        if (this.#isClosed) return;
        if (!isFailing) this.#failed(accountId, error);
        isFailing = true;
        queue.unshift(...fills);
        await pause(this.#parts.clock, AGAIN_MS);
      }
    }
    this.#waiting.delete(accountId);
  }

  #failed(accountId: number, error: unknown): void {
    this.#parts.telemetry.event("warn", "account-events.waiting", {
      accountId,
      message: errorMessage(error),
    });
  }

  async #query(accountId: number, queue: readonly Waiting[]): Promise<Now> {
    const { balances, exposure } = this.#parts;
    const symbols = [...new Set(queue.map(({ fill }) => fill.symbol))];
    const assets = new Set(queue.flatMap(({ changes }) => changes.map(({ asset }) => asset)));
    const held = await balances.balances(accountId);
    const positions = await Promise.all(
      symbols.map(async (symbol): Promise<PositionNow> => {
        const position = await exposure.position(accountId, symbol);
        return { symbol, amount: formatQuantity(quantityOf(position)) };
      }),
    );
    return {
      // Another asset, whose amount may be one that cannot be read, does not keep the events from the account.
      wallets: new Map(
        held.filter(({ asset }) => assets.has(asset)).map((balance) => [balance.asset, walletOf(balance)]),
      ),
      positions: new Map(positions.map((position) => [position.symbol, position])),
    };
  }

  #publish(accountId: number, { fill, changes }: Waiting, { wallets, positions }: Now): void {
    const balances = changes.map(({ asset, change }) => ({
      asset,
      wallet: wallets.get(asset) ?? "0",
      change,
    }));
    const position = positions.get(fill.symbol);
    const update = {
      ...{ reason: "ORDER" as const, timeMs: fill.fill.timeMs, balances },
      positions: position === undefined ? [] : [position],
    };
    for (const listener of [...this.#listeners]) listener({ accountId, update });
  }
}

/** Balances of the assets that fills exchanged, and positions by symbol, as the venue has just told them. */
type Now = Readonly<{
  wallets: ReadonlyMap<string, string>;
  positions: ReadonlyMap<string, PositionNow>;
}>;

/** The whole balance. Throws a RangeError for amounts with more decimals than money has. */
function walletOf({ asset, free, locked }: AssetBalance): string {
  const [one, other] = [parseScaled(free, NOTIONAL_SCALE), parseScaled(locked, NOTIONAL_SCALE)];
  if (one === undefined || other === undefined)
    throw new RangeError(`the balance of ${asset} is not an amount`);
  return formatScaled(add(one, other), NOTIONAL_SCALE);
}
