import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Inputs that do not exist as messages, each with its reason. */
const NOT_OF_MESSAGES: Readonly<Record<number, string>> = {
  9: "a message has one place for the signature",
  10: "a message has no headers; 11 covers a repeated signature",
  12: "params are sorted, so their order does not matter",
  17: "a message has no query and no body",
  18: "a message has no question mark",
  19: "there is no boundary; 95 covers ambiguous names and values",
  39: "text is not percent-encoded; 61 covers bytes that are not text, 62 control characters",
  46: "a message has no headers, and its method is a separate member",
  47: "a message has no query and no body",
  48: "a message has no Content-Type; 94 covers frames that are not text",
  50: "a message has no head; 94 covers invalid frames",
};

type Block = Readonly<{ file: string; text: string }>;

const HERE = new URL(".", import.meta.url);

/** The tests of this folder as text, including the tables. */
const BLOCKS: readonly Block[] = readdirSync(HERE)
  .filter((file) => file.endsWith(".test.ts") && file !== "coverage.test.ts")
  .flatMap((file) =>
    readFileSync(new URL(file, HERE), "utf8")
      .split(/^ *it(?:\.each)?(?=[(<])/m)
      .slice(1)
      .map((text) => ({ file, text })),
  );

/** Numbers at the start of a test's name, or of a row of its table. */
function numbersOf({ text }: Block): readonly number[] {
  const named = [...text.matchAll(/hostile ((?:[0-9]+(?:-[0-9]+)?(?:, )?)+)/g)].flatMap(([, list = ""]) =>
    list.split(", ").flatMap((part) => range(part)),
  );
  const rows = [...text.matchAll(/^ *\["([0-9]+): /gm)].map(([, number]) => Number(number));
  return [...named, ...rows];
}

function range(part: string): readonly number[] {
  const [from = 0, to = from] = part.split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const overMessages = ({ file, text }: Block): boolean =>
  file.startsWith("socket-") || /bothRefuse\(|refusesMessage\(|acceptsMessage\(/.test(text);

const missing = (blocks: readonly Block[]): readonly number[] => {
  const covered = new Set(blocks.flatMap(numbersOf));
  return range("1-96").filter((number) => !covered.has(number));
};

describe("hostile inputs", () => {
  it("each of 1 to 96 has a test over REST", () => {
    expect(missing(BLOCKS.filter(({ file }) => !file.startsWith("socket-")))).toEqual([94, 95]);
  });

  it("each has a test as a WebSocket message, or a reason why there is none; 94 and 95 exist as messages only", () => {
    expect(missing(BLOCKS.filter(overMessages))).toEqual(Object.keys(NOT_OF_MESSAGES).map(Number));
  });
});
