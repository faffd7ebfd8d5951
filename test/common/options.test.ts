import { describe, expect, it } from "vitest";
import {
  flagOption,
  functionOption,
  listOption,
  nameOption,
  nearestName,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  portOption,
  wholeOption,
  wordOption,
} from "../../src/common/index.ts";

type Port = { read(): void; write(): void; flush?(): void };

const port = portOption<Port>("Port (managed-orders/ports)", {
  ...{ read: "required", write: "required", flush: "optional" },
});

const checks = {
  port,
  count: optionalOption(wholeOption({ from: 1, to: 9 })),
  factor: optionalOption(numberOption({ from: 0 })),
  isOn: optionalOption(flagOption),
  mode: optionalOption(wordOption(["fast", "slow"])),
  names: optionalOption(listOption("a list of names", nameOption)),
  told: optionalOption(functionOption("hears of it")),
  settings: optionalOption(
    optionsOf<{ pauseMs: number }>({ pauseMs: wholeOption({ from: 0 }, " of milliseconds") }),
  ),
};

const closed = optionsOf<typeof checks>(checks);
const open = optionsOf<typeof checks>(checks, { open: true });
const good = { port: { read: () => undefined, write: () => undefined } };

function refusal(check: OptionCheck, value: unknown): string {
  try {
    check(value, "make");
    return "taken";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "not an error";
  }
}

describe("an option that cannot be used is refused with its name, its problem and what to pass", () => {
  it.each<readonly [options: unknown, message: string]>([
    [good, "taken"],
    [{ ...good, count: undefined }, "taken"],
    [
      undefined,
      "TypeError: make is missing: pass an object with port, count, factor, isOn, mode, names, told and settings",
    ],
    [
      {},
      "TypeError: make.port is missing: pass an object of the type Port (managed-orders/ports), with these functions: read and write",
    ],
    [
      { port: Promise.resolve() },
      "TypeError: make.port must be an object of the type Port (managed-orders/ports), with these functions: read and write, got a promise: await it",
    ],
    [
      { port: { read: () => undefined } },
      "TypeError: make.port.write is missing: pass a function of the type Port (managed-orders/ports)",
    ],
    [
      { port: { ...good.port, flush: 5 } },
      "TypeError: make.port.flush must be a function of the type Port (managed-orders/ports), got 5",
    ],
    [{ ...good, count: "3" }, 'TypeError: make.count must be a whole number from 1 to 9, got "3"'],
    [{ ...good, count: 0 }, "RangeError: make.count must be a whole number from 1 to 9, got 0"],
    [{ ...good, count: 1.5 }, "RangeError: make.count must be a whole number from 1 to 9, got 1.5"],
    [{ ...good, count: null }, "TypeError: make.count must be a whole number from 1 to 9, got null"],
    [
      { ...good, factor: Number.NaN },
      "RangeError: make.factor must be a finite number of at least 0, got NaN",
    ],
    [{ ...good, isOn: "yes" }, 'TypeError: make.isOn must be true or false, got "yes"'],
    [{ ...good, mode: "fats" }, 'RangeError: make.mode must be one of fast, slow, got "fats"'],
    [{ ...good, names: "a" }, 'TypeError: make.names must be a list of names, got "a"'],
    [{ ...good, names: ["a", ""] }, 'RangeError: make.names[1] must be a string that is not empty, got ""'],
    [{ ...good, told: [] }, "TypeError: make.told must be a function that hears of it, got an array"],
    [
      { ...good, settings: {} },
      "TypeError: make.settings.pauseMs is missing: pass a whole number of milliseconds of at least 0",
    ],
  ])("%j: %s", (options, message) => {
    expect(refusal(closed, options)).toBe(message);
  });
});

describe("an unknown option is refused", () => {
  it("with the nearest option that was not given", () => {
    const message = "TypeError: unknown option `cuont` of make; did you mean `count`?";
    expect(refusal(closed, { ...good, cuont: 1 })).toBe(message);
    expect(refusal(open, { ...good, cuont: 1 })).toBe(message);
  });

  it("with its place if it belongs inside another option", () => {
    const message = "TypeError: unknown option `pauseMs` of make: pass it in make.settings";
    expect(refusal(open, { ...good, pauseMs: 1 })).toBe(message);
  });

  it("with all options if none is near", () => {
    expect(refusal(closed, { ...good, database: 1 })).toBe(
      "TypeError: unknown option `database` of make, which takes port, count, factor, isOn, mode, names, told and settings",
    );
  });

  it("unless the object holds all parts of a host and the name resembles none that is missing", () => {
    expect(refusal(open, { ...good, database: 1 })).toBe("taken");
    expect(refusal(open, { ...good, count: 2, counts: 1 })).toBe("taken");
  });
});

describe("the nearest name", () => {
  const known = ["advancedOrders", "minimumNotional", "quoteMaxAgeMs", "venue", "clock"];

  it.each<readonly [name: string, nearest: string | undefined]>([
    ["advanceOrders", "advancedOrders"],
    ["AdvancedOrders", "advancedOrders"],
    ["minNotional", "minimumNotional"],
    ["minimalNotional", "minimumNotional"],
    ["quoteMaxAge", "quoteMaxAgeMs"],
    ["quote", "quoteMaxAgeMs"],
    ["veneu", "venue"],
    ["lock", "clock"],
    ["disk", undefined],
    ["", undefined],
  ])("of %j is %j", (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it.each<readonly [name: string, nearest: string | undefined]>([
    ["Price", undefined],
    ["price3", "price2"],
    ["stopPrise", "stopPrice"],
  ])("of %j beside `price` is %j", (name, nearest) => {
    expect(nearestName(name, ["price", "price2", "stopPrice"], (known) => known === "price")).toBe(nearest);
  });
});
