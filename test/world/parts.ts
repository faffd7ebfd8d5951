import type { Random } from "../../src/common/random.ts";
import type { Ledger } from "./clients/ledger.ts";
import type { Departures } from "./departures.ts";
import type { Faults } from "./faults.ts";
import type { Fleet } from "./fleet.ts";
import type { Hosts } from "./hosts.ts";
import type { RequireThat } from "./invariant-broken.ts";
import type { JournalBook } from "./journal-book.ts";
import type { Market } from "./market.ts";
import type { Plan } from "./plan.ts";
import type { Situations } from "./situations.ts";
import type { TrueTape } from "./true-tape.ts";
import type { WorldDisk } from "./world-disk.ts";
import type { WorldNative } from "./world-native.ts";
import type { WorldStore } from "./world-store.ts";
import type { WorldTime } from "./world-time.ts";
import type { WorldVenue } from "./world-venue.ts";
import type { WorldVolumes } from "./world-volumes.ts";

/** Parts that one world shares. */
export type WorldParts = Readonly<{
  plan: Plan;
  random: Random;
  faults: Faults;
  situations: Situations;
  time: WorldTime;
  requireThat: RequireThat;
  journal: JournalBook;
  venue: WorldVenue;
  store: WorldStore;
  disk: WorldDisk;
  /** Present if the stores forget. */
  departures: Departures | undefined;
  tape: TrueTape;
  hosts: Hosts;
  native: WorldNative;
  volumes: WorldVolumes;
  markets: readonly Market[];
  ledger: Ledger;
  fleet: Fleet;
  /** Runs something beside the steps. Its failure ends the world. */
  beside: (doing: Promise<unknown>) => void;
}>;
