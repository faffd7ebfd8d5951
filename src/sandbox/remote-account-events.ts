import { errorMessage, pause } from "../common/index.ts";
import { add, formatQuantity, formatScaled, NOTIONAL_SCALE, parseScaled } from "../decimal/index.ts";
import { quantityOf } from "../host-answers/index.ts";
import type {
  AccountEvent,
  AccountEvents,
  AssetBalance,
  Balances,
  Clock,
  Exposure,
  Instruments,
  PositionNow,
  Telemetry,
  ToldFill,
} from "../ports/index.ts";
import { changesOf, type FillChanges } from "./account-events.ts";

/** Most fills whose events wait for the venue. Of more, the oldest of the account is left out. */
const MOST_WAITING = 1_000;

/** Pause before the venue is asked again. */
const AGAIN_MS = 500;

/** Dependencies of the account events of a venue elsewhere. */
export type RemoteAccountParts = Readonly<{
  balances: Balances;
  exposure: Exposure;
  instruments: Instruments;
  clock: Clock;
  telemetry: Telemetry;
}>;

/** Account events that are asked for after each fill, until they are closed. */
export type RemoteAccountEvents = AccountEvents & Readonly<{ close: () => void }>;

/** A fill that waits for its event, with what it changed. */
type Waiting = Readonly<{ fill: ToldFill; changes: FillChanges }>;

/**
 * Creates the account events of a venue in another process. It is asked for balances and positions after each fill, so an
 * event comes a moment after the fill and has the balances of that moment, which may include later fills. The fills of
 * an account keep their order. While the venue does not answer it is asked again.
 */
export function createRemoteAccountEvents(parts: RemoteAccountParts): RemoteAccountEvents {
  return new QueriedAccountEvents(parts);
}

class QueriedAccountEvents implements AccountEvents {
  readonly #parts: RemoteAccountParts;
  readonly #listeners: Set<(event: AccountEvent) => void> = new Set();
  readonly #waiting: Map<number, Waiting[]> = new Map();
  #size = 0;
  #isClosed = false;

  constructor(parts: RemoteAccountParts) {
    this.#parts = parts;
  }

  afterFill(fill: ToldFill): undefined {
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
