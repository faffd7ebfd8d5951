import type { Block } from "./markdown.ts";

/** Reads the settings of a sandbox: the variables before `npm start` in a block of a page. */
export function settingsOf({ text }: Block): Readonly<Record<string, string>> {
  const line = text.split("\n").find((each) => each.endsWith(" npm start")) ?? "";
  const pairs = line
    .split(" ")
    .filter((word) => word.includes("="))
    .map((word) => word.split("="));
  return Object.fromEntries(pairs.map(([name = "", ...value]) => [name, value.join("=")]));
}
