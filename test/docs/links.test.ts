import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { pages, readPage, root } from "../examples/markdown.ts";

const LINK = /\]\(([^)\s]+)\)/g;

/** The anchor that a heading gets. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Anchors of a page: its headings outside fenced blocks. */
function anchorsOf(page: string): readonly string[] {
  const text = readPage(page).replace(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** Whether a link of a page leads somewhere; what lies outside the repository is not asked. */
function leads(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(root + target)) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

for (const page of pages) {
  it(`every link of ${page} leads to a page and a heading that are there`, () => {
    const links = [...readPage(page).matchAll(LINK)].map(([, link = ""]) => link);
    expect(links.filter((link) => !leads(page, link))).toEqual([]);
  });
}
