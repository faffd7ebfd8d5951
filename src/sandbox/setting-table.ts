import { readFileSync } from "node:fs";
import { errorCode, errorMessage } from "../common/index.ts";
import { type SettingReader, shownSetting } from "./setting-readers.ts";
import { SettingsError } from "./settings-error.ts";

/** One setting: its default as text, its meaning for `--help`, its reader, and whether a text of it holds a secret. */
export type Option<T> = Readonly<{
  fallback: string;
  meaning: string;
  read: SettingReader<T>;
  isSecret?: (text: string) => boolean;
}>;

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

/**
 * Returns a setting whose text is a secret. Other users of a machine can read arguments: it comes in a variable, or in a
 * file that `NAME_FILE` names, such as `/dev/stdin`.
 */
export const secretOption = <T>(meaning: string, read: SettingReader<T>): Option<T> => ({
  ...option("", meaning, read),
  isSecret: () => true,
});

const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

/**
 * Reads every setting of a table. Flags take precedence over variables. Unknown and empty variables are ignored. Throws
 * a SettingsError with one line about the first invalid setting.
 */
export function readTable<T extends SettingTable>(table: T, sources: SettingSources): SettingValues<T> {
  const { argv } = sources;
  const flags = readFlags(table, argv);
  const env = withFiles(table, sources.env);
  return Object.fromEntries(
    Object.entries(table).map(([name, { fallback, read }]) => [
      name,
      readValue(name, flags.get(name), () => read(flags.get(name) ?? (env[name] || fallback))),
    ]),
  ) as SettingValues<T>;
}

/** Returns the variables with the secrets whose variable names a file. The line break at its end does not count. */
function withFiles(table: SettingTable, env: SettingSources["env"]): SettingSources["env"] {
  const read: Record<string, string | undefined> = { ...env };
  for (const [name, { isSecret }] of Object.entries(table)) {
    const path = env[`${name}_FILE`];
    if (isSecret === undefined || !path) continue;
    if (env[name]) throw new SettingsError(`${name} and ${name}_FILE are both set: set one of them`);
    try {
      read[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      throw new SettingsError(
        `${name}_FILE: the file cannot be read (${errorCode(error) ?? errorMessage(error)})`,
      );
    }
  }
  return read;
}

function readFlags(table: SettingTable, argv: readonly string[]): ReadonlyMap<string, string> {
  const nameOfFlag = new Map(Object.keys(table).map((name) => [flagOf(name), name]));
  const flags = new Map<string, string>();
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    const [flag = "", ...rest] = argument.split("=");
    const name = nameOfFlag.get(flag);
    if (name === undefined)
      throw new SettingsError(`unknown argument ${shownSetting(argument)}: use --help to list all settings`);
    if (flags.has(name)) throw new SettingsError(`${flag} was given twice`);
    const value = argument.includes("=") ? rest.join("=") : argv[++index];
    if (value === undefined || value === "") throw new SettingsError(`${flag} needs a value`);
    if (table[name]?.isSecret?.(value) === true)
      throw new SettingsError(
        `${flag}: other users of this machine can read arguments: set the variable ${name}, or ${name}_FILE to the path of a file with it`,
      );
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

/** Returns a line about each setting of a table, with its default and meaning. A secret has no flag. */
export function tableHelp(table: SettingTable): readonly string[] {
  const rows = Object.entries(table).map(([name, { fallback, meaning, isSecret }]) => ({
    title: isSecret?.("") === true ? `${name}, ${name}_FILE` : flagOf(name),
    meaning: `${meaning}${fallback === "" ? "" : ` (${fallback})`}`,
  }));
  const width = Math.max(...rows.map(({ title }) => title.length)) + 2;
  return rows.map(({ title, meaning }) => `  ${title.padEnd(width)}${meaning}`);
}
