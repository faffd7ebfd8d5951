import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { createMemoryStore, type RateLimiterOptions } from "../adapters/memory/index.ts";
import { openPostgresStore } from "../adapters/postgres/index.ts";
import { openSqliteStore } from "../adapters/sqlite/index.ts";
import { lockFile, oneFile, type Unlock, writerProgram } from "../adapters/sqlite/internal.ts";
import { errorCode, pause } from "../common/index.ts";
import { openPaperVenue, type PaperVenue } from "../paper-exchange/index.ts";
import type {
  Accounts,
  Clock,
  ExecutionVenue,
  Exposure,
  Instruments,
  KeyValueStore,
  OrderStore,
  RateLimiter,
  Rejections,
  Telemetry,
  VenueEvent,
} from "../ports/index.ts";
import { createRejectionBuffer } from "../service/index.ts";
import { DEMO_ACCOUNT_ID, type Directory, type KeyPair, openDirectory, SharedAccounts } from "./accounts.ts";
import { demoBalances } from "./catalogue.ts";
import { SettingsError } from "./input.ts";
import { type SandboxSettings, venueRecordPath } from "./settings.ts";
import type { VenueElsewhere } from "./venue-elsewhere.ts";

/** What a sandbox keeps: orders, small values, refused orders, and what its rate limiter counts. */
export type Disk = Readonly<{
  orders: OrderStore;
  keyValue: KeyValueStore;
  rejections: Rejections;
  openRateLimiter: (options: RateLimiterOptions) => Promise<RateLimiter>;
}>;

/** Opens the store of the settings. Rejects with an Error for the operator if it cannot be opened. */
export async function openDisk(settings: SandboxSettings, telemetry: Telemetry): Promise<Disk> {
  const orders = await openStore(settings, telemetry);
  const rejections = settings.persistRejections ? orders.rejections : createRejectionBuffer();
  const openRateLimiter: Disk["openRateLimiter"] = (options) =>
    orders.openRateLimiter({ ...options, telemetry });
  return { orders, keyValue: orders.keyValue, rejections, openRateLimiter };
}

async function openStore({ store, retentionDays }: SandboxSettings, telemetry: Telemetry) {
  const rejections = { retentionDays, telemetry };
  if (store.kind === "memory") return createMemoryStore({ rejections });
  // The sources have no program of the thread until it is bundled.
  if (store.kind === "sqlite")
    return openSqliteStore({ path: store.path, rejections, thread: writerProgram() !== undefined });
  const { kind: _kind, ...place } = store;
  return await openPostgresStore({ ...place, telemetry, rejections });
}

/** The record of a paper venue, under its real path, that no other process can open; without a path in memory. */
type VenueRecord = Readonly<{ path: string | undefined; unlock: Unlock }>;

/** Time in milliseconds within which a process that is ending must leave the record. */
const LEAVING_MS = 1_000;

/**
 * Creates the record of a paper venue if it is missing, and locks it. Two venues that write one record would each execute
 * children that the other knows. Throws an Error for the operator that names the file if another process has it.
 */
export function lockRecord(path: string | undefined): VenueRecord {
  if (path === undefined) return { path, unlock: () => undefined };
  const real = oneFile(path);
  return { path: real, unlock: lockFile({ path: real, busyTimeoutMs: LEAVING_MS }) };
}

/** `accounts` is what engine and service ask; `directory` is what the control interface changes. */
type Stored = Readonly<{
  directory: Directory;
  accounts: Accounts;
  demoKey: KeyPair;
  close: () => Promise<void>;
}>;

/** The accounts, and the paper venue of this process. Only one process may run it. */
type PaperOutside = Stored & Readonly<{ paper: PaperVenue; elsewhere: undefined }>;

/** The accounts beside a venue in a process of its own, which `close` leaves as it is. */
type RemoteOutside = Stored & Readonly<{ paper: undefined; elsewhere: VenueElsewhere }>;

/** What is outside of the engine. */
export type Outside = PaperOutside | RemoteOutside;

/** What the outside is made of. */
type OutsideParts = Readonly<{
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
  const accounts = settings.shares ? new SharedAccounts(directory, clock) : directory;
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

/**
 * Returns the path of the venue's record, which is locked: another store can have the same record, and so can a venue in a
 * process of its own. That of a store in a file is beside it. Several sandboxes may share a store in Postgres, in which the
 * name of the record is kept: a process that was stopped and goes on cannot write it beside its successor.
 */
async function recordOf(parts: OutsideParts): Promise<VenueRecord> {
  const { store, venueFolder } = parts.settings;
  if (store.kind === "memory") return lockRecord(undefined);
  if (store.kind === "sqlite")
    return lockRecord(venueRecordPath({ ...store, path: realpathSync(store.path) }));
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
  const { venueForgetsAfterMs: afterMs, submitDeadlineMs, retryMaxMs } = settings;
  // A child is not forgotten while an engine still looks it up: it asks again within its longest pause.
  const forgetting = { afterMs, quietMs: 2 * Math.max(REQUESTED_AGAIN_MS, submitDeadlineMs, retryMaxMs) };
  const venue = await openPaperVenue({ clock, instruments, telemetry, path, forgetting });
  const isForeign = venue.hasAccount(DEMO_ACCOUNT_ID) && directory.account(DEMO_ACCOUNT_ID) === undefined;
  if (!isForeign) return venue;
  await venue.close();
  throw new SettingsError(
    `${basename(path ?? "")} is the record of another store: remove it, or restore its store`,
  );
}

/** An outside that is opened when its node has taken over. */
type LateOutside<O extends Outside> = Readonly<{
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
type LatePaper = LateOutside<PaperOutside> & Readonly<{ venue: ExecutionVenue; exposure: Exposure }>;

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
