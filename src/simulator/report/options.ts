import {
  nameOption,
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
  recordOption,
  textOption,
  wholeOption,
} from "../../common/index.ts";

/** Options of a report. */
export interface ReportOptions {
  /** Heading of the page. Default: "Simulation". */
  readonly title?: string;
  /** What the run depends on, such as its seed, to repeat it: texts by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Most rows of a table. Default: 500. */
  readonly maxRows?: number;
  /** Most charts of each kind: symbols, orders with a trigger, schedules, POV orders. Default: 20. */
  readonly maxCharts?: number;
}

const reportOption: OptionCheck = optionsOf<ReportOptions>({
  title: optionalOption(nameOption),
  parameters: optionalOption(recordOption("an object with texts by name", textOption())),
  maxRows: optionalOption(wholeOption({ from: 0, to: 100_000 })),
  maxCharts: optionalOption(wholeOption({ from: 0, to: 1_000 })),
});

const resultOption: OptionCheck = objectOption("a result of simulate");

/** Throws a TypeError or RangeError that names an option that is unknown or wrong, or a result that is none. */
export function checkReport(result: unknown, options: ReportOptions): void {
  resultOption(result, "reportOf.result");
  reportOption(options, "reportOf");
}
