import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openApiOfProtocol } from "./description.ts";

it("the OpenAPI document of the protocol is valid, and is the one in docs/; `--update` rewrites it", async () => {
  const text = `${JSON.stringify(openApiOfProtocol(), null, 1)}\n`;
  const verdict = await new Validator().validate(text);
  expect(verdict.valid, JSON.stringify(verdict.errors)).toBe(true);
  await expect(text).toMatchFileSnapshot("../../../docs/venue-http.json");
});
