import { expect, it } from "vitest";
import { errorsPage } from "./errors-page.ts";

it("docs/errors.md matches the error table; `npm run docs:update test/style/errors-page` rewrites it", async () => {
  await expect(errorsPage()).toMatchFileSnapshot("../../docs/errors.md");
});
