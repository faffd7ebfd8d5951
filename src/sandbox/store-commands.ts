import { beginPostgresCopy } from "../adapters/postgres/internal.ts";
import {
  backupSqliteStore,
  restoreSqliteStore,
  type SqliteCopy,
  type SqliteRestoreOptions,
  type SqliteVerification,
  verifySqliteStore,
} from "../adapters/sqlite/index.ts";
import { requireSqliteAtRest, withSqliteStorage } from "../adapters/sqlite/internal.ts";
import { copyRows } from "../store/internal.ts";
import { SettingsError } from "./input.ts";
import { type StoreSetting, storeArgument } from "./setting.ts";

/** Where a command writes: results, and on a terminal its progress. */
export type CommandOutput = Readonly<{ print: (text: string) => void; progress: (text: string) => void }>;

/** Runs a command on a store. Resolves to its exit code: 0, or 1 if a verification has found something. */
type StoreCommand = (argv: readonly string[], output: CommandOutput) => Promise<number>;

/** The commands on stores, by name. Each throws a SettingsError for arguments that it does not take. */
export const STORE_COMMANDS: ReadonlyMap<string, StoreCommand> = new Map<string, StoreCommand>([
  ["backup", backup],
  ["restore", restore],
  ["store", store],
  ["verify", verify],
]);

/** Returns a line about each command for `--help`. */
export function storeCommandsHelp(): string {
  return [
    "managed-orders backup STORE TARGET              copies a store, which may be in use, to a new file",
    "managed-orders restore BACKUP STORE             makes a new store of a backup, whose open orders are paused",
    "    --at POSITION        as it was at a position of the journal, which backup prints",
    "    --archive FOLDER     with the records that have left the store",
    "    --no-pause           only if no engine has opened the store since the backup",
    "managed-orders store copy FROM TO               copies a SQLite store that is not in use into an empty Postgres database",
    "managed-orders verify STORE [--archive FOLDER]  reads every row of a store, and the archive of its journal",
    "",
  ].join("\n");
}

async function backup(argv: readonly string[], output: CommandOutput): Promise<number> {
  const [path, to] = two(argv, "backup STORE TARGET");
  const copy = await backupSqliteStore({
    path: fileOf(path),
    to: fileOf(to),
    onProgress: bar("Copying", output),
  });
  output.progress("");
  output.print(`${to}: ${contentsOf(copy)}\n`);
  if (copy.forgets)
    output.print("Records that have left the store are not in it. Copy the archive now, if there is one.\n");
  return 0;
}

const RESTORE = "restore BACKUP STORE [--at POSITION] [--archive FOLDER] [--no-pause]";

async function restore(argv: readonly string[], output: CommandOutput): Promise<number> {
  const options = restoreOptions(argv);
  const copy = await restoreSqliteStore({ ...options, onProgress: steps(output) });
  output.progress("");
  output.print(`${options.path}: ${contentsOf(copy)}\n`);
  if (copy.paused > 0)
    output.print(
      `${copy.paused} open orders are paused: compare them with the executions of the venue since then, and resume them (engine.resumeOrder).\n`,
    );
  return 0;
}

function restoreOptions(argv: readonly string[]): SqliteRestoreOptions {
  const [from, path, ...flags] = argv;
  if (from === undefined || path === undefined) throw wrongArguments(RESTORE);
  let options: SqliteRestoreOptions = { from: fileOf(from), path: fileOf(path) };
  while (flags.length > 0) {
    const flag = flags.shift();
    if (flag === "--no-pause") options = { ...options, pause: false };
    else if (flag === "--at") options = { ...options, at: positionIn(flags.shift()) };
    else if (flag === "--archive" && flags[0] !== undefined)
      options = { ...options, archive: flags.shift() ?? "" };
    else throw wrongArguments(RESTORE);
  }
  return options;
}

function positionIn(text = ""): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw wrongArguments(RESTORE);
  return Number.parseInt(text, 10);
}

const COPY = "store copy FROM TO, such as store copy ./data/orders.db postgres://user@host:5432/database";

async function store([command = "", ...argv]: readonly string[], output: CommandOutput): Promise<number> {
  if (command !== "copy") throw wrongArguments(COPY);
  const [from, to] = two(argv, COPY);
  const source = sourceIn(from);
  const target = storeArgument(to);
  if (source.kind !== "sqlite" || target.kind !== "postgres") throw wrongArguments(COPY);
  const { kind: _kind, ...place } = target;
  const { records, endedOrders, endedLists, rejections } = await copyStore({
    ...{ from: { path: source.path }, to: place, onProgress: steps(output) },
  });
  output.progress("");
  const contents = `${records} records, ${endedOrders} ended orders, ${endedLists} ended lists, ${rejections} refused orders`;
  output.print(`Copied and read back: ${contents}.\nEvery row of both stores is equal.\n`);
  output.print(NOT_COPIED);
  return 0;
}

const NOT_COPIED =
  "Not copied: the archive of the journal, the venue's record of a sandbox. Do not open the old store again.\n";

async function verify(argv: readonly string[], output: CommandOutput): Promise<number> {
  const [store, flag, archive, ...more] = argv;
  const isArchive = flag === "--archive" && archive !== undefined;
  if (store === undefined || more.length > 0 || (flag !== undefined && !isArchive))
    throw wrongArguments("verify STORE [--archive FOLDER]");
  const path = fileOf(store);
  const onProgress = bar("Reading", output);
  const found = await verifySqliteStore({ path, onProgress, ...(isArchive && { archive }) });
  output.progress("");
  output.print(verdictOf(found));
  return found.whole ? 0 : 1;
}

/** A store in the words of an argument: a path by itself is that of a SQLite store, a URL is not. */
function sourceIn(text: string): StoreSetting {
  const isSetting = /^(sqlite|memory|postgres(ql)?):|^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  return storeArgument(isSetting ? text : `sqlite:${text}`);
}

/**
 * Returns the file that an argument names, also in the form of the setting STORE: taken as a path, `sqlite:PATH` would be
 * a file of another name, which no sandbox with that setting opens.
 */
function fileOf(text: string): string {
  const store = sourceIn(text);
  if (store.kind === "sqlite") return store.path;
  throw new SettingsError(
    "backup, restore and verify take the file of a SQLite store, such as ./data/orders.db",
  );
}

function two(argv: readonly string[], usage: string): readonly [string, string] {
  const [first, second, ...more] = argv;
  if (first === undefined || second === undefined || more.length > 0) throw wrongArguments(usage);
  return [first, second];
}

const wrongArguments = (usage: string): SettingsError => new SettingsError(`usage: managed-orders ${usage}`);

function contentsOf({ records, position, bytes }: SqliteCopy): string {
  return `${records} records, ${(bytes / 1e6).toFixed(1)} MB, at the journal position ${position}`;
}

function verdictOf(found: SqliteVerification): string {
  const { whole, records, stored, archived, missing, missingRecords, problems, problemTexts } = found;
  return [
    whole
      ? "The store is whole."
      : `The store is not whole: ${missing} records are missing, ${problems} problems.`,
    `Records since the journal began: ${records}; in the store: ${stored}; in the archive: ${archived}.`,
    ...missingRecords.map(({ shard, from, to }) => `  missing: records ${from} to ${to} of shard ${shard}`),
    ...problemTexts.map((text) => `  ${text}`),
    "",
  ].join("\n");
}

/** Returns a listener that shows progress as a bar of 30 characters. */
function bar(what: string, { progress }: CommandOutput): (done: number, all: number) => void {
  return (done, all) => {
    const part = all === 0 ? 1 : done / all;
    const filled = Math.round(part * 30);
    progress(`${what} [${"#".repeat(filled)}${".".repeat(30 - filled)}] ${Math.floor(part * 100)} %`);
  };
}

/** Returns a listener that shows the progress of each step of some work as a bar. */
const steps =
  (output: CommandOutput) =>
  (step: string, done: number, all: number): void =>
    bar(step, output)(done, all);

/** Where a store is copied from and to, and who is told of the progress of which step. */
type StoreCopyOptions = Readonly<{
  from: Readonly<{ path: string }>;
  to: Readonly<{ url: string; schema?: string }>;
  onProgress: (step: string, done: number, all: number) => void;
}>;

/** What was copied. */
type CopiedRows = Readonly<Record<"records" | "endedOrders" | "endedLists" | "rejections", number>>;

/**
 * Copies a SQLite store that no process has open into an empty schema of a Postgres database, reads the copy back, and
 * compares. Only then can the copy be opened as a store. The source stays as it is, and no other process can open it
 * meanwhile. Resolves to what both contain. Rejects with an Error for the operator if the source is in use, damaged or a
 * backup, the target cannot be used or is not empty, or the two differ; a copy that was begun is never opened as a store
 * then.
 */
async function copyStore({ from, to, onProgress }: StoreCopyOptions): Promise<CopiedRows> {
  // Before the verification, which reads every row, and would read those of a backup.
  await requireSqliteAtRest(from);
  const { whole, problemTexts, stored } = await verifySqliteStore({
    ...from,
    onProgress: (done, all) => onProgress("Verifying", done, all),
  });
  if (!whole)
    throw new Error(
      `the source is not whole (${problemTexts[0] ?? "records are missing"}): restore it from a backup, and copy that`,
    );
  const done = new Map<string, number>();
  const progress = (step: string, rows: number): void => {
    done.set(step, (done.get(step) ?? 0) + rows);
    onProgress(step, Math.min(done.get(step) ?? 0, stored), stored);
  };
  return await withSqliteStorage(from, async (source) => {
    const copy = await beginPostgresCopy(to);
    try {
      const counts = await copyRows(source, copy.storage, progress);
      await copy.finish();
      const of = (kind: string): number => counts.get(kind) ?? 0;
      const [records, endedOrders, endedLists] = [of("log"), of("ended"), of("list")];
      return { records, endedOrders, endedLists, rejections: of("reject") };
    } finally {
      await copy.close();
    }
  });
}
