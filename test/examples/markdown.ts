import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DocExample } from "../style/doc-examples.ts";

/** The folder of the checkout, ending in a slash. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** A fenced block of a page: its place, its language, its text, and the file as which the page says to save it. */
export type Block = Readonly<{ name: string; language: string; text: string; file: string | undefined }>;

function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(root + folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
}

/** The handwritten pages, as paths below the root; docs/errors.md and docs/site/ are generated. */
export const pages: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  ...["docs", "docs/decisions", "examples", ...foldersIn("examples")].flatMap((folder) =>
    readdirSync(root + folder)
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${folder}/${file}`),
  ),
];

const saved = /\bSave this as `([\w.]+)`[^`]*$/;
const fence = /^```(\w*)\n([\s\S]*?)^```$/gm;
const printed = /^.*\bconsole\.log\(.*?\/\/ (.+)$/gm;

/** Reads the text of a page. */
export function readPage(path: string): string {
  return readFileSync(root + path, "utf8");
}

/** Returns every fenced block of a page, in order. */
export function blocksOf(path: string): readonly Block[] {
  const page = readPage(path);
  return [...page.matchAll(fence)].map((match) => {
    const line = page.slice(0, match.index).split("\n").length;
    const file = saved.exec(page.slice(0, match.index))?.[1];
    return { name: `${path}:${line}`, language: match[1] ?? "", text: match[2] ?? "", file };
  });
}

/** Returns the TypeScript blocks of a page, with the output that their `console.log` comments state. */
export function examplesOf(path: string): readonly DocExample[] {
  return blocksOf(path)
    .filter(({ language }) => language === "ts")
    .map(({ name, text }) => {
      const prints = [...text.matchAll(printed)].map((line) => line[1] ?? "");
      return { name, code: text, prints };
    });
}
