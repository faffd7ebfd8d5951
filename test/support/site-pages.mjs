/**
 * Plugin of TypeDoc: the site of `npm run docs` has the written pages too, named by their headings. docs/README.md gives their
 * order and their groups, which are readers; decisions and examples follow, and the reference is last.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, Converter } from "typedoc";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A paragraph of docs/README.md: `**You test a strategy.**` or `**Look up:**`, and what follows until the next one. */
const GROUPS = /^\*\*(.+?)[.:]\*\*([\s\S]*?)(?=^\*\*|$(?![\s\S]))/gm;

const LINKS = /\]\(([\w./-]+\.md)\)/g;

/** Paths of the pages in a folder: its README.md first. */
const pagesIn = (folder) =>
  ["README.md", ...readdirSync(root + folder).sort()]
    .filter((name, index) => name.endsWith(".md") && (index === 0 || name !== "README.md"))
    .map((name) => `${folder}/${name}`);

/** Returns the name of the group of each page, by its path, in their order. */
function groups() {
  const overview = readFileSync(`${root}docs/README.md`, "utf8");
  const linked = [...overview.matchAll(GROUPS)].flatMap(([, name, text]) =>
    [...text.matchAll(LINKS)].map(([, path]) => [join("docs", path), name]),
  );
  const examples = readdirSync(`${root}examples`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("README.md"))
    .map((path) => [`examples/${path}`, "Examples"]);
  return new Map([
    ...linked,
    ...["docs/README.md", "CHANGELOG.md"].map((path) => [path, "Look up"]),
    ...pagesIn("docs/decisions").map((path) => [path, "Decisions"]),
    ...examples.sort(),
  ]);
}

/** Called by TypeDoc. */
export function load(app) {
  const groupOf = groups();
  app.on(Application.EVENT_BOOTSTRAP_END, () => {
    app.options.setValue("projectDocuments", [...groupOf.keys()]);
    app.options.setValue("categoryOrder", [...new Set(groupOf.values())]);
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page) => {
    const path = page.project.files.getReflectionPath(page).slice(root.length);
    page.frontmatter["category"] = groupOf.get(path);
    page.name = /^# (.+)$/m.exec(readFileSync(root + path, "utf8"))[1].replaceAll("`", "");
  });
}
