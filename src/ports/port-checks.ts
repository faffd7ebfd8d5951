import { type OptionCheck, optionalOption, portOption, wholeOption, wordOption } from "../common/index.ts";
import type { AccountEvents, Balances } from "./account-events.ts";
import type { ExecutionVenue } from "./execution-venue.ts";
import type { Accounts, Clock, Entropy, Exposure, Instruments, Telemetry } from "./host.ts";
import type { ShardLeases } from "./leases.ts";
import type { MarketData, OwnFillsInPrints, VolumeHistory } from "./market-data.ts";
import type { NativeOrders, Rejections } from "./native-orders.ts";
import type { OrderStore } from "./order-store.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Storage } from "./storage.ts";

/*
 * Checks of the ports that a host hands in. Each names every function of its interface; the compiler refuses a table
 * that lacks one.
 */

/** Checks a catalogue of instruments. */
export const instrumentsOption: OptionCheck = portOption<Instruments>("Instruments (managed-orders/ports)", {
  ...{ all: "required", find: "required", resolve: "required" },
});

/** Checks accounts. */
export const accountsOption: OptionCheck = portOption<Accounts>("Accounts (managed-orders/ports)", {
  ...{ key: "required", account: "required" },
});

const exposureFunctions: OptionCheck = portOption<Exposure>("Exposure (managed-orders/ports)", {
  ...{ position: "required", onChange: "optional" },
});

const lagOption: OptionCheck = optionalOption(wholeOption({ from: 0, to: 3_600_000 }, " of milliseconds"));

/** Checks positions, and the lag that they declare. */
export const exposureOption: OptionCheck = (value, name) => {
  exposureFunctions(value, name);
  lagOption((value as Exposure).lagMs, `${name}.lagMs`);
};

/** Checks a clock. */
export const clockOption: OptionCheck = portOption<Clock>("Clock (managed-orders/ports)", {
  ...{
    nowMs: "required",
    monotonicMs: "required",
    schedule: "required",
    soon: "required",
    onStep: "optional",
  },
});

/** Checks a source of random tokens. */
export const entropyOption: OptionCheck = portOption<Entropy>("Entropy (managed-orders/ports)", {
  token: "required",
});

/** Checks a telemetry. */
export const telemetryOption: OptionCheck = portOption<Telemetry>("Telemetry (managed-orders/ports)", {
  event: "required",
});

/** Checks a venue. */
export const venueOption: OptionCheck = portOption<ExecutionVenue>("ExecutionVenue (managed-orders/ports)", {
  ...{ submit: "required", lookup: "required", subscribe: "required" },
  ...{ voidChild: "optional", venueTimeMs: "optional" },
});

/** What a source may say of own fills. */
export const OWN_FILLS: readonly OwnFillsInPrints[] = ["by-execution-id", "other-id", "none"];

const marketFunctions: OptionCheck = portOption<MarketData>("MarketData (managed-orders/ports)", {
  subscribe: "required",
});

const ownFillsOption: OptionCheck = optionalOption(wordOption(OWN_FILLS));

/** Checks a source of quotes and trades, and what it declares of own fills. */
export const marketDataOption: OptionCheck = (value, name) => {
  marketFunctions(value, name);
  ownFillsOption((value as MarketData).ownFillsInPrints, `${name}.ownFillsInPrints`);
};

/** Checks a history of volumes. */
export const volumeHistoryOption: OptionCheck = portOption<VolumeHistory>(
  "VolumeHistory (managed-orders/ports)",
  {
    minutes: "required",
  },
);

/** Checks a rate limiter. */
export const rateLimiterOption: OptionCheck = portOption<RateLimiter>("RateLimiter (managed-orders/ports)", {
  ...{ weigh: "required", connect: "optional", takeOrders: "required", returnOrders: "required" },
  ...{ gained: "optional", lost: "optional" },
});

/** Checks an ordinary order flow. */
export const nativeOrdersOption: OptionCheck = portOption<NativeOrders>(
  "NativeOrders (managed-orders/ports)",
  {
    ...{ place: "required", findRequest: "required", cancel: "required", find: "required" },
    ...{
      cancelIf: "optional",
      page: "required",
      open: "optional",
      executions: "required",
      subscribe: "required",
    },
  },
);

/** Checks a source of balances. */
export const balancesOption: OptionCheck = portOption<Balances>("Balances (managed-orders/ports)", {
  balances: "required",
});

/** Checks a store of rejections. */
export const rejectionsOption: OptionCheck = portOption<Rejections>("Rejections (managed-orders/ports)", {
  ...{ retain: "required", list: "required" },
});

/** Checks a source of account events. */
export const accountEventsOption: OptionCheck = portOption<AccountEvents>(
  "AccountEvents (managed-orders/ports)",
  {
    ...{ afterFill: "required", subscribe: "required" },
  },
);

/** Checks the leases of an order store. */
const leasesOption: OptionCheck = portOption<ShardLeases>("ShardLeases (managed-orders/ports)", {
  ...{ join: "required", renew: "required", nodes: "required", retire: "required", want: "required" },
  ...{ claim: "required", release: "required", assign: "required", leave: "required" },
  ...{ heads: "required", tail: "required", prints: "required" },
});

/** Checks the part of the leases that an operator needs. */
export const operatorLeasesOption: OptionCheck = portOption<
  Pick<ShardLeases, "heads" | "nodes" | "want" | "assign">
>("ShardLeases (managed-orders/ports)", {
  ...{ heads: "required", nodes: "required", want: "required", assign: "required" },
});

const storeFunctions: OptionCheck = portOption<Omit<OrderStore, "leases">>(
  "OrderStore (managed-orders/ports)",
  {
    ...{
      acquire: "required",
      head: "required",
      append: "required",
      fence: "required",
      readRecords: "required",
    },
    ...{ readSnapshot: "required", writeSnapshot: "required", readMarks: "required", readQuotes: "required" },
    ...{ deleteMarks: "required", findEnded: "required", pageEnded: "required", countEnded: "required" },
    ...{ readEnded: "required", pageEndedNames: "optional", findEndedList: "required" },
    ...{
      pageEndedLists: "required",
      deleteEnded: "required",
      pruneEnded: "optional",
      readVolume: "required",
      deleteVolume: "required",
    },
    ...{ close: "required" },
  },
);

/** Checks an order store, and its leases if it has any. */
export const storeOption: OptionCheck = (value, name) => {
  storeFunctions(value, name);
  const { leases } = value as OrderStore;
  if (leases !== undefined) leasesOption(leases, `${name}.leases`);
};

/** Checks a storage. */
export const storageOption: OptionCheck = /* @__PURE__ */ portOption<Storage>(
  "Storage (managed-orders/ports)",
  {
    commit: "required",
    get: "required",
    range: "required",
    clock: "optional",
    close: "required",
  },
);
