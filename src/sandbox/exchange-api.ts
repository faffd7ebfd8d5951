import type { Engine } from "../engine/index.ts";
import type {
  Accounts,
  Clock,
  Entropy,
  Instruments,
  NativeOrders,
  Rejections,
  Telemetry,
} from "../ports/index.ts";
import type { CrashPoints } from "./crash-points.ts";
import type { Directory, KeyPair } from "./directory.ts";
import type { Disk } from "./disk.ts";
import type { NativeFaultMode } from "./native-faults.ts";
import type { FaultyStore } from "./store-faults.ts";
import type { Trading } from "./trading.ts";
import type { VolumeFaultMode } from "./volume-faults.ts";

/** A local exchange without its network side: engine, market, venue, accounts, and the controls for tests. */
export type Exchange = Omit<Trading, "orders" | "close"> &
  Readonly<{
    engine: Engine;
    /** Stops all prints on their way to the engine, or lets them through. */
    setVolumeFault: (mode: VolumeFaultMode) => void;
    /** Ordinary orders at the venue, with injected faults. */
    native: NativeOrders;
    setNativeFault: (mode: NativeFaultMode) => void;
    rejections: Rejections;
    openRateLimiter: Disk["openRateLimiter"];
    store: FaultyStore;
    /** Accounts and keys as the control interface changes them. */
    directory: Directory;
    /** The same as engine and service ask for them. */
    accounts: Accounts;
    demoKey: KeyPair;
    instruments: Instruments;
    clock: Clock;
    crashPoints: CrashPoints;
    /** Moves a manual clock. Everything due on the way happens at its time. Rejects with InputError on a real clock. */
    advance: (target: Readonly<{ now: number } | { advanceMs: number }>) => Promise<void>;
    close: () => Promise<void>;
  }>;

/** Dependencies of an exchange on its environment. */
export type ExchangeHost = Readonly<{ realClock: Clock; entropy: Entropy; telemetry: Telemetry }>;
