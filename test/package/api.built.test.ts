import { describe, expect, it } from "vitest";
import { apiOf } from "./api.ts";
import { entryPoints, root } from "./consumer.ts";

const texts = apiOf(entryPoints.map(({ types }) => `${root}${types}`));

describe("the exported names and signatures, which `npm run docs:api` writes", () => {
  it.each(entryPoints.map(({ name }, index) => [name, texts[index] ?? ""]))(
    "decision JD: those of %s are the ones of its API file",
    async (name, text) => {
      const file = name.replace("/", ".");
      await expect(text).toMatchFileSnapshot(`api/${file}.txt`);
    },
  );
});
