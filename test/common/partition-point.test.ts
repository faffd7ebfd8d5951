import { expect, it } from "vitest";
import { partitionPoint } from "../../src/common/index.ts";

it.each([0, 1, 2, 7, 8])(
  "the partition point of %s items is the first that is not before, or their number",
  (length) => {
    const items = Array.from({ length }, (_, index) => index);
    for (let point = 0; point <= length; point++)
      expect(partitionPoint(items, (item) => item < point)).toBe(point);
  },
);
