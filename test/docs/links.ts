import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LINK = /\]\(([^)\s]+)\)/g;

/** Returns the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Returns the anchors of a page: its headings outside fenced blocks. */
function anchorsOf(path: string): readonly string[] {
  const text = readFileSync(path, "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** Whether a link of a page leads to a file, and to a heading in it. Links to other hosts are not followed. */
function leads(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** Returns the broken links of a page. */
export function deadLinks(page: string): readonly string[] {
  const links = [...readFileSync(page, "utf8").matchAll(LINK)].map(([, link = ""]) => link);
  return links.filter((link) => !leads(page, link));
}
