import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { lockFile, type Unlock } from "../adapters/sqlite/internal.ts";
import { errorCode, pause } from "../common/index.ts";
import { type Forgetting, openPaperVenue, type PaperVenue } from "../paper-exchange/index.ts";
import type {
  Accounts,
  Clock,
  ExecutionVenue,
  Exposure,
  Instruments,
  Telemetry,
  VenueEvent,
} from "../ports/index.ts";
import { demoBalances } from "./catalogue.ts";
import { DEMO_ACCOUNT_ID, type Directory, type KeyPair, openDirectory } from "./directory.ts";
import type { Disk } from "./disk.ts";
import { type SandboxSettings, venueRecordPath } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
import { sharedAccounts } from "./shared-accounts.ts";
import type { VenueElsewhere } from "./venue-elsewhere.ts";
import { lockRecord } from "./venue-record-lock.ts";

/** `accounts` is what engine and service ask; `directory` is what the control interface changes. */
type Stored = Readonly<{
  directory: Directory;
  accounts: Accounts;
  demoKey: KeyPair;
  close: () => Promise<void>;
}>;

/** The accounts, and the paper venue of this process. Only one process may run it. */
export type PaperOutside = Stored & Readonly<{ paper: PaperVenue; elsewhere: undefined }>;

/** The accounts beside a venue in a process of its own, which `close` leaves as it is. */
export type RemoteOutside = Stored & Readonly<{ paper: undefined; elsewhere: VenueElsewhere }>;

/** What is outside of the engine. */
export type Outside = PaperOutside | RemoteOutside;

/** What the outside is made of. */
export type OutsideParts = Readonly<{
  settings: SandboxSettings;
  disk: Disk;
  clock: Clock;
  instruments: Instruments;
  telemetry: Telemetry;
}>;

/** Time within which an engine asks again for an unknown outcome, unless longer pauses are set. */
const REQUESTED_AGAIN_MS = 300_000;

/** Key of the id in the name of the venue's record of a store that is not a file. */
const RECORD_KEY = "venue.record";

/** Pause between two attempts to open the venue's record while another process has it. */
const LOCKED_AGAIN_MS = 200;

/** Opens the accounts beside a venue elsewhere. Rejects with a SettingsError if that has children of another store. */
export async function openAccounts(
  { settings, disk, clock }: OutsideParts,
  elsewhere: VenueElsewhere,
): Promise<RemoteOutside> {
  const directory = await openDirectory(disk.keyValue);
  if (directory.account(DEMO_ACCOUNT_ID) === undefined) await elsewhere.requireUnused();
  const demoKey = await directory.ensureDemo(settings.demoKey);
  const accounts = settings.shares ? sharedAccounts(directory, clock) : directory;
  return { directory, accounts, demoKey, paper: undefined, elsewhere, close: async () => undefined };
}

/** Opens accounts and venue. Rejects with a SettingsError for a record that belongs to another store. */
export async function openOutside(parts: OutsideParts): Promise<PaperOutside> {
  const { settings, instruments, disk } = parts;
  const directory = await openDirectory(disk.keyValue);
  const { path, unlock } = await recordOf(parts);
  try {
    const paper = await openVenue(parts, { directory, path });
    const demoKey = await directory.ensureDemo(settings.demoKey);
    if (!paper.hasAccount(DEMO_ACCOUNT_ID))
      await paper.setBalances(DEMO_ACCOUNT_ID, demoBalances(instruments));
    const close = (): Promise<void> => paper.close().finally(unlock);
    return { directory, accounts: directory, demoKey, paper, elsewhere: undefined, close };
  } catch (error) {
    unlock();
    throw error;
  }
}

type VenueFile = Readonly<{ path: string | undefined; unlock: Unlock }>;

/**
 * Returns the path of the venue's record, which is locked: another store can have the same record, and so can a venue in a
 * process of its own. That of a store in a file is beside it. Several sandboxes may share a store in Postgres, in which the
 * name of the record is kept: a process that was stopped and goes on cannot write it beside its successor.
 */
async function recordOf(parts: OutsideParts): Promise<VenueFile> {
  const { store, venueFolder } = parts.settings;
  if (store.kind !== "postgres") {
    const path =
      store.kind === "sqlite" ? venueRecordPath({ ...store, path: realpathSync(store.path) }) : undefined;
    return path === undefined ? { path, unlock: () => undefined } : lockRecord(path);
  }
  const stored = await parts.disk.keyValue.get(RECORD_KEY);
  const name = stored ?? randomUUID();
  const path = join(resolve(venueFolder), `venue-${name}.jsonl`);
  if (stored !== undefined && !existsSync(path))
    throw new SettingsError(
      `the record of the venue, ${basename(path)}, is missing in ${venueFolder}: set VENUE_FOLDER to the folder with which the store was first used, or use another schema`,
    );
  const unlock = await lockedWhenFree(path, parts.clock);
  if (stored !== undefined) return { path, unlock };
  try {
    // The record exists before its name is kept, so that a name without a record means that the record is lost.
    await (await openPaperVenue({ clock: parts.clock, instruments: parts.instruments, path })).close();
    await parts.disk.keyValue.set(RECORD_KEY, name);
    return { path, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Waits until no other process has the record. The system frees it when that process ends, however it ends. */
async function lockedWhenFree(path: string, clock: Clock): Promise<Unlock> {
  for (;;) {
    try {
      return lockFile({ path, busyTimeoutMs: 0 });
    } catch (error) {
      if (errorCode(error) !== "EBUSY") throw error;
    }
    await pause(clock, LOCKED_AGAIN_MS);
  }
}

/**
 * Opens the venue on its record. A store without accounts is new. If the record then is not new, it belongs to another
 * store: children of new orders could get the ids of its children, and would be answered with their fills.
 */
async function openVenue(
  { settings, clock, instruments, telemetry }: OutsideParts,
  { directory, path }: Readonly<{ directory: Directory; path: string | undefined }>,
): Promise<PaperVenue> {
  const forgetting = forgettingOf(settings);
  const venue = await openPaperVenue({ clock, instruments, telemetry, path, forgetting });
  const isForeign = venue.hasAccount(DEMO_ACCOUNT_ID) && directory.account(DEMO_ACCOUNT_ID) === undefined;
  if (!isForeign) return venue;
  await venue.close();
  throw new SettingsError(
    `${basename(path ?? "")} is the record of another store: remove it, or restore its store`,
  );
}

/**
 * Returns the times after which children are forgotten. A child is not forgotten while an engine still looks it up: the
 * engine asks again within its longest pause.
 */
function forgettingOf({ venueForgetsAfterMs, submitDeadlineMs, retryMaxMs }: SandboxSettings): Forgetting {
  const quietMs = 2 * Math.max(REQUESTED_AGAIN_MS, submitDeadlineMs, retryMaxMs);
  return { afterMs: venueForgetsAfterMs, quietMs };
}

/** An outside that is opened when its node has taken over. */
export type LateOutside<O extends Outside> = Readonly<{
  accounts: Accounts;
  /** Opens the outside, once. */
  open: () => Promise<O>;
  /** Closes it, if it was opened. The next call opens it again. */
  close: () => Promise<void>;
}>;

/**
 * Creates accounts that are opened at the first call of an engine. A standby makes none, so only the process that has
 * taken over opens them. Until they are open, calls wait.
 */
export function lateOutside<O extends Outside>(openNow: () => Promise<O>): LateOutside<O> {
  let opening: Promise<O> | undefined;
  const open = (): Promise<O> => {
    opening ??= openNow();
    return opening;
  };
  return {
    accounts: {
      key: async (apiKey) => (await open()).accounts.key(apiKey),
      account: async (accountId) => (await open()).accounts.account(accountId),
    },
    open,
    close: async () => {
      const outside = opening;
      opening = undefined;
      await (await outside?.catch(() => undefined))?.close();
    },
  };
}

/** A paper venue of this process that is opened late, and its accounts. */
export type LatePaper = LateOutside<PaperOutside> & Readonly<{ venue: ExecutionVenue; exposure: Exposure }>;

/**
 * Creates the ports of a paper venue that is opened with its accounts. Until it is open, calls wait, and the engine
 * treats the venue as one that does not answer.
 */
export function latePaper(openNow: () => Promise<PaperOutside>): LatePaper {
  const listeners = new Set<(event: VenueEvent) => void>();
  const late = lateOutside(async () => {
    const outside = await openNow();
    outside.paper.subscribe((event) => {
      for (const listener of [...listeners]) listener(event);
    });
    return outside;
  });
  const { open } = late;
  return {
    ...late,
    venue: {
      // Those of the paper venue.
      capabilities: { honoursDeadline: true, canVoid: false },
      submit: async (child, limits) => (await open()).paper.submit(child, limits),
      lookup: async (child) => (await open()).paper.lookup(child),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    exposure: {
      lagMs: 0,
      position: async (accountId, symbol) => (await open()).paper.position(accountId, symbol),
    },
  };
}
