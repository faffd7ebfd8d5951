import {
  listOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  textOption,
  wholeOption,
} from "../../common/index.ts";
import type { Instrument } from "../../model/index.ts";
import type { Entropy, OrderStore, Telemetry } from "../../ports/index.ts";
import { createLineTelemetry, toStandardError } from "../shared/index.ts";
import { createMemoryAccounts, type MemoryAccounts } from "./accounts.ts";
import { createMemoryExposure, followFills, type MemoryExposure } from "./exposure.ts";
import { createMemoryInstruments } from "./instruments.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { contentsOf, createMemoryDisk, createMemoryStore, type MemoryDisk } from "./storage.ts";

/** Options of a memory host: symbols such as `BTC/USD`, accounts with consent, and the start time. */
export interface MemoryHostOptions {
  readonly symbols: readonly string[];
  /** Default: account 1. */
  readonly accountIds?: readonly number[];
  /** Epoch milliseconds; default 1760000000000. */
  readonly startMs?: number;
}

/** Everything that an engine needs from its host, except a venue. Tests can replace single parts. */
export interface MemoryHost {
  readonly store: OrderStore;
  /** The store's data. Open another store on it to simulate a restart. */
  readonly disk: MemoryDisk;
  readonly instruments: ReturnType<typeof createMemoryInstruments>;
  readonly accounts: MemoryAccounts;
  /** Positions. Each fill of the engine's orders changes the position of its account; `set` replaces a position. */
  readonly exposure: MemoryExposure;
  readonly clock: ManualClock;
  readonly entropy: Entropy;
  /** Writes warnings, errors and the causes of alerts to standard error, as one line of JSON each. */
  readonly telemetry: Telemetry;
}

const DEFAULT_START_MS = 1_760_000_000_000;

const SYMBOL = /^[^/]+\/[^/]+$/;

const hostOption: OptionCheck = optionsOf<MemoryHostOptions>({
  symbols: listOption(
    'a list of symbols, such as ["BTC/USD"]',
    textOption("a symbol such as BTC/USD", (text) => SYMBOL.test(text)),
  ),
  accountIds: optionalOption(listOption("a list of account ids, such as [1]", wholeOption({ from: 1 }))),
  startMs: optionalOption(numberOption({ from: 0 }, " of epoch milliseconds")),
});

/**
 * Creates a whole host in memory for strategy tests and trials. It has a manual clock, accounts with consent, liquidity
 * markets, and a telemetry that writes warnings to standard error. Positions begin at zero and change with each fill.
 * Ids are counted, so that a run can be repeated. Throws a TypeError or RangeError that names an option that is
 * missing, unknown or wrong, such as a symbol without a slash.
 *
 * @example
 * ```ts
 * import { createMemoryHost } from "managed-orders/memory";
 * const host = createMemoryHost({ symbols: ["BTC/USD"] });
 * console.log(host.instruments.resolve("BTCUSD")?.symbol); // BTC/USD
 * ```
 */
export function createMemoryHost(options: MemoryHostOptions): MemoryHost {
  hostOption(options, "createMemoryHost");
  const disk = createMemoryDisk();
  const exposure = createMemoryExposure([], 0);
  followFills(contentsOf(disk), exposure);
  const clock = createManualClock({ startMs: options.startMs ?? DEFAULT_START_MS });
  let tokens = 0;
  return {
    disk,
    store: createMemoryStore({ disk, clock }),
    instruments: createMemoryInstruments(
      options.symbols.map((symbol, index) => instrumentOf(symbol, index + 1)),
    ),
    accounts: createMemoryAccounts((options.accountIds ?? [1]).map(accountOf)),
    exposure,
    clock,
    entropy: { token: (length) => String(++tokens).padStart(length, "0") },
    telemetry: telemetryOf(clock),
  };
}

function telemetryOf(clock: ManualClock): Telemetry {
  const later = (ms: number, run: () => void): void => void clock.schedule(clock.monotonicMs() + ms, run);
  return createLineTelemetry({ level: "warn", write: toStandardError, nowMs: clock.nowMs, later });
}

function instrumentOf(symbol: string, id: number): Instrument {
  const [baseAsset = "", quoteAsset = ""] = symbol.split("/");
  const aliases = [`${baseAsset}${quoteAsset}`, `${baseAsset}-${quoteAsset}`];
  return {
    id,
    symbol,
    aliases,
    baseAsset,
    quoteAsset,
    name: baseAsset,
    kind: "liquidity",
    status: "TRADING",
  };
}

function accountOf(accountId: number): Parameters<MemoryAccounts["put"]>[0] {
  const account = { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false };
  return { account, keys: [] };
}
