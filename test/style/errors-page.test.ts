import { expect, it } from "vitest";
import { errorsPage } from "./errors-page.ts";

it("docs/errors.md says what the error table says; `npm run docs:errors` rewrites it", async () => {
  await expect(errorsPage()).toMatchFileSnapshot("../../docs/errors.md");
});
