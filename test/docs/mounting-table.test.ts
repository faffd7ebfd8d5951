import { expect, it } from "vitest";
import { MOUNT_FAULTS } from "../../src/service/index.ts";
import { readPage } from "../examples/markdown.ts";

it("docs/mounting.md: the table names every fault of a mount in the words of the probe", () => {
  const rows = [...readPage("docs/mounting.md").matchAll(/^\| `([A-Z_]+)` \| (.*) \| (.*) \|$/gm)];
  const written = rows.map(([, fault = "", says = "", remedy = ""]) => [fault, { says, remedy }]);
  expect(written).toEqual(Object.entries(MOUNT_FAULTS));
});
