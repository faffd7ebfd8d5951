import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Inputs that a message cannot be, each with its reason. */
const NOT_OF_MESSAGES: Readonly<Record<number, string>> = {
  9: "a message has one place for the signature",
  10: "a message has no headers; a signature that comes twice is 11",
  12: "params are sorted: none is after another",
  17: "a message has no query and no body",
  18: "a message has no question mark",
  19: "there is no boundary: names and values that could be read in two ways are 95",
  39: "text is not percent-encoded; bytes that are no text are 61, control characters 62",
  46: "a message has no headers, and its method is a member of its own",
  47: "a message has no query and no body",
  48: "a message has no Content-Type; frames that are no text are 94",
  50: "a message has no head; frames that are none are 94",
};

type Block = Readonly<{ file: string; text: string }>;

const HERE = new URL(".", import.meta.url);

/** The tests of this folder as text, table and all. */
const BLOCKS: readonly Block[] = readdirSync(HERE)
  .filter((file) => file.endsWith(".test.ts") && file !== "coverage.test.ts")
  .flatMap((file) =>
    readFileSync(new URL(file, HERE), "utf8")
      .split(/^ *it(?:\.each)?(?=[(<])/m)
      .slice(1)
      .map((text) => ({ file, text })),
  );

/** Numbers that the name of a test, or of a row of its table, begins with. */
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

  it("each has one as a message of the WebSocket, or a reason why there is none; 94 and 95 are of messages only", () => {
    expect(missing(BLOCKS.filter(overMessages))).toEqual(Object.keys(NOT_OF_MESSAGES).map(Number));
  });
});
