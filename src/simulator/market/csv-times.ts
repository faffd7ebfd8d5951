import { MarketDataError } from "./market-row.ts";

/** Markets that this package simulates began later. Numbers below are no times, or have a unit that none is recognised by. */
const FIRST_MS: number = Date.UTC(2000, 0, 1);

/** A number since the epoch; only seconds are written with decimals that count. */
const EPOCH = /^0*([1-9][0-9]{8,19})(?:\.([0-9]{1,18}))?$/;

/** A date, or a date with a time. Without a zone it is UTC, as the files of exchanges are. */
const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?$/i;

/** The hours that CryptoDataDownload wrote. */
const HALF_DAY = /^(\d{4}-\d\d-\d\d) (\d\d)-(AM|PM)$/i;

/** Units by the number of digits that a time has from the year 2000 to the year 5138, and digits below a millisecond. */
const UNITS: readonly Readonly<{ name: string; digits: number; finer: number }>[] = [
  { name: "seconds", digits: 11, finer: -3 },
  { name: "milliseconds", digits: 14, finer: 0 },
  { name: "microseconds", digits: 17, finer: 3 },
  { name: "nanoseconds", digits: 20, finer: 6 },
];

type FileTime = Readonly<{ timeMs: number; unit: string }>;

/** Reads a time by its magnitude or as a date; `undefined` for anything else, and for times before 2000. */
export function readTime(text: string): FileTime | undefined {
  const [, digits, decimals = ""] = EPOCH.exec(text) ?? [];
  const time = digits === undefined ? ofDate(text) : ofNumber(digits, decimals);
  return time !== undefined && time.timeMs >= FIRST_MS ? time : undefined;
}

/** Works on digits: nanoseconds are beyond what a double holds. */
function ofNumber(digits: string, decimals: string): FileTime | undefined {
  const unit = UNITS.find((each) => digits.length <= each.digits);
  if (unit === undefined) return undefined;
  const ms =
    unit.finer < 0 ? digits + decimals.slice(0, 3).padEnd(3, "0") : digits.slice(0, -unit.finer || undefined);
  return { timeMs: Number.parseInt(ms, 10), unit: unit.name };
}

function ofDate(text: string): FileTime | undefined {
  const iso = isoOf(text);
  const timeMs = iso === undefined ? Number.NaN : Date.parse(iso);
  return Number.isNaN(timeMs) ? undefined : { timeMs, unit: "dates" };
}

function isoOf(text: string): string | undefined {
  const [, halfDay, hour = "0", half = ""] = HALF_DAY.exec(text) ?? [];
  if (halfDay !== undefined)
    return `${halfDay}T${String((Number.parseInt(hour, 10) % 12) + (half.toUpperCase() === "PM" ? 12 : 0)).padStart(2, "0")}:00Z`;
  const [, date, time = "00:00", seconds = "00", decimals = "", zone = "Z"] = DATE.exec(text) ?? [];
  if (date === undefined || !isDay(date)) return undefined;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : "Z";
  return `${date}T${time}:${seconds}.${decimals.slice(0, 3).padEnd(3, "0")}${offset}`;
}

/** Date.parse takes the 30th of February for the 1st of March. */
const isDay = (date: string): boolean => {
  const timeMs = Date.parse(date);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(date);
};

/** Reads the times of one file, which all have the unit of the first. */
export class CsvTimes {
  #unit: string | undefined;

  /** Returns epoch milliseconds. Throws a MarketDataError. */
  read(text: string): number {
    const time = readTime(text);
    if (time === undefined)
      throw new MarketDataError(
        `a time must be seconds, milliseconds, microseconds or nanoseconds since the epoch, or a date such as 2026-01-31 or 2026-01-31T09:00:00Z, from the year 2000 on, not ${JSON.stringify(text)}`,
      );
    this.#unit ??= time.unit;
    if (time.unit !== this.#unit)
      throw new MarketDataError(
        `the times of a file must have one unit: ${JSON.stringify(text)} is in ${time.unit}, the first time in ${this.#unit}; split the file`,
      );
    return time.timeMs;
  }
}
