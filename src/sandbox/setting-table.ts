import { type SettingReader, shownName } from "./setting-readers.ts";
import { SettingsError } from "./settings-error.ts";

/** One setting: its default as text, its meaning for `--help`, and its reader. */
export type Option<T> = Readonly<{ fallback: string; meaning: string; read: SettingReader<T> }>;

/** The settings of a command by the names of their environment variables. */
export type SettingTable = Readonly<Record<string, Option<unknown>>>;

/** The values of a table. */
export type SettingValues<T extends SettingTable> = { readonly [K in keyof T]: ReturnType<T[K]["read"]> };

/** Sources of settings: environment variables by name, and the command line after the command. */
export type SettingSources = Readonly<{
  env: Readonly<Record<string, string | undefined>>;
  argv: readonly string[];
}>;

/** Returns one setting. */
export const option = <T>(fallback: string, meaning: string, read: SettingReader<T>): Option<T> => ({
  fallback,
  meaning,
  read,
});

const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

/**
 * Reads every setting of a table. Flags take precedence over variables. Unknown and empty variables are ignored. Throws
 * a SettingsError with one line about the first invalid setting.
 */
export function readTable<T extends SettingTable>(table: T, { env, argv }: SettingSources): SettingValues<T> {
  const flags = readFlags(table, argv);
  return Object.fromEntries(
    Object.entries(table).map(([name, { fallback, read }]) => [
      name,
      readValue(name, flags.get(name), () => read(flags.get(name) ?? (env[name] || fallback))),
    ]),
  ) as SettingValues<T>;
}

function readFlags(table: SettingTable, argv: readonly string[]): ReadonlyMap<string, string> {
  const nameOfFlag = new Map(Object.keys(table).map((name) => [flagOf(name), name]));
  const flags = new Map<string, string>();
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    const [flag = "", ...rest] = argument.split("=");
    const name = nameOfFlag.get(flag);
    if (name === undefined)
      throw new SettingsError(`unknown argument ${shownName(argument)}: use --help to list all settings`);
    if (flags.has(name)) throw new SettingsError(`${flag} was given twice`);
    const value = argument.includes("=") ? rest.join("=") : argv[++index];
    if (value === undefined || value === "") throw new SettingsError(`${flag} needs a value`);
    flags.set(name, value);
  }
  return flags;
}

function readValue(name: string, flag: string | undefined, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(`${flag === undefined ? name : flagOf(name)}: ${error.message}`);
  }
}

/** Returns a line about each setting of a table, with its default and meaning. */
export function tableHelp(table: SettingTable): readonly string[] {
  const names = Object.keys(table);
  const width = Math.max(...names.map((name) => flagOf(name).length)) + 2;
  return Object.entries(table).map(
    ([name, { fallback, meaning }]) =>
      `  ${flagOf(name).padEnd(width)}${meaning}${fallback === "" ? "" : ` (${fallback})`}`,
  );
}
