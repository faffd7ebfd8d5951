import { describe, expect, it } from "vitest";
import { apiOf, looseShapes } from "./api.ts";
import { entryPoints, root } from "./consumer.ts";

const texts = apiOf(entryPoints.map(({ types }) => `${root}${types}`));

/** Requests and replies as JSON. They are aliases, because only those are assignable to an index signature. */
const JSON_FORMS: readonly string[] = [...["ErrorBody", "LegacyOcoFields", "ListCommonFields", "Snapshot"]];

describe("the exported names and signatures that `npm run docs:update test/package/api` writes", () => {
  it.each(entryPoints.map(({ name }, index) => [name, texts[index] ?? ""]))(
    "those of %s are the ones in its API file",
    async (name, text) => {
      const file = name.replace("/", ".");
      await expect(text).toMatchFileSnapshot(`api/${file}.txt`);
    },
  );

  it("object shapes are interfaces with readonly members", () => {
    expect(looseShapes(texts.join(""))).toEqual(JSON_FORMS);
    const loose = [
      "export type A = { readonly a: 1 };",
      "export type B = Readonly<{ b: 1 }>;",
      "export type C = D & Readonly<{ c: 1 }>;",
      "export interface D { d: 1; readonly e: 2; f(): 3 }",
      "export type G = { readonly a: 1 } & ({ readonly b: 1 } | { readonly c: 1 });",
      "export type H = B | Readonly<{ h: 1 }>;",
    ];
    expect(looseShapes(loose.join("\n"))).toEqual(["A", "B", "C", "D.d"]);
  });
});
