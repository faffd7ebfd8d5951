import { expect, it } from "vitest";
import { MISTAKES, readAfter } from "./mistakes.ts";

it("what a person reads after each mistake; `--update` rewrites it", async () => {
  const texts: string[] = [];
  for (const [title, mistake] of Object.entries(MISTAKES))
    texts.push(`${title}\n  ${await readAfter(mistake)}\n`);
  await expect(texts.join("\n")).toMatchFileSnapshot("mistakes.txt");
});
