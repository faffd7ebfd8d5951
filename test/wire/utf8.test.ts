import { expect, it } from "vitest";
import { readFlatJson } from "../../src/wire/index.ts";
import { bytes, refusal } from "./refusal.ts";

it("hostile 60-61: a byte order mark is refused, and so are bytes that are not UTF-8", () => {
  const quoted = (...inside: readonly number[]): Uint8Array =>
    new Uint8Array([...bytes('{"a":"'), ...inside, ...bytes('"}')]);
  expect(readFlatJson(quoted(0xc3, 0xbc)).get("a")?.text).toBe("ü");
  for (const inside of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80]])
    expect(refusal(() => readFlatJson(quoted(...inside)))).toBe("INVALID_JSON");
  expect(refusal(() => readFlatJson(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes("{}")])))).toBe(
    "INVALID_JSON",
  );
});
