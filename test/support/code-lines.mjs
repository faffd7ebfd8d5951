/**
 * Counts files and lines of code, without comments and blank lines: `node test/support/code-lines.mjs FOLDER...`. A folder
 * that does not exist counts as empty, so that two commits can be compared.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import ts from "typescript";

function codeLines(text) {
  const file = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true);
  const lines = new Set();
  const visit = (node) => {
    const children = node.getChildren(file).filter(({ kind }) => !ts.isJSDoc({ kind }));
    if (children.length > 0) return children.forEach(visit);
    const [from, to] = [node.getStart(file), node.getEnd()].map(
      (at) => file.getLineAndCharacterOfPosition(at).line,
    );
    if (node.getWidth(file) > 0) for (let line = from; line <= to; line++) lines.add(line);
  };
  visit(file);
  return lines.size;
}

let all = 0;
for (const folder of process.argv.slice(2)) {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  const sources = names.filter((name) => name.endsWith(".ts"));
  const lines = sources.reduce((sum, name) => sum + codeLines(readFileSync(`${folder}/${name}`, "utf8")), 0);
  all += lines;
  console.log(`${folder}: ${sources.length} files, ${lines} lines of code`);
}
console.log(`${all} lines of code`);
