import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const LISTED = JSON.parse(readFileSync(new URL("equivalent.json", import.meta.url), "utf8"));
const PAGE = fileURLToPath(new URL("../../../docs/testing.md", import.meta.url));

/** Counts the results of a folder, and compares its survivors with the list of mutants that change no behaviour. */
export function summaryOf(folder, { files, spentMs = 0 }) {
  const mutants = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file, ...textOf(source, mutant) })),
  );
  const valid = mutants.filter(({ status }) => status !== "CompileError");
  const count = (...statuses) => valid.filter(({ status }) => statuses.includes(status)).length;
  const killed = count("Killed", "RuntimeError");
  const timeouts = count("Timeout");
  const survivors = valid.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const isListed = (mutant) => LISTED.some((entry) => isSame(entry, mutant));
  const unlisted = survivors.filter((mutant) => !isListed(mutant));
  const unknown = LISTED.filter(
    (entry) => entry.file.startsWith(`src/${folder}/`) && !survivors.some((mutant) => isSame(entry, mutant)),
  );
  const cells = [
    `\`${folder}\``,
    ...[mutants.length, mutants.length - valid.length, killed, timeouts],
    ...[survivors.length - unlisted.length, unlisted.length],
    `${((100 * (killed + timeouts)) / valid.length).toFixed(1)} %`,
    `${Math.ceil(spentMs / 60_000)} min`,
  ];
  return { folder, unlisted, unknown, row: `| ${cells.join(" | ")} |` };
}

/** The whole first line that a mutant is in, and the text it replaces. */
function textOf(source, { location: { start, end } }) {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const line = lines[0].trim();
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return { line, original: lines.join("\n") };
}

/** An entry names a mutant by its file, line of code and change, which later changes above it do not move. */
function isSame({ file, line, changes }, mutant) {
  return file === mutant.file && line === mutant.line && changes.includes(changeOf(mutant));
}

function changeOf({ mutatorName, original, replacement }) {
  return `${short(original)} -> ${short(replacement ?? mutatorName)}`;
}

function short(code) {
  const oneLine = code.replace(/\s+/g, " ");
  return oneLine.length <= 80 ? oneLine : `${oneLine.slice(0, 50)} ... ${oneLine.slice(-25)}`;
}

/** Prints the survivors that need a test or a reason, and the entries of the list that no mutant answers to. */
export function printSurvivors({ unlisted, unknown }) {
  for (const mutant of unlisted) {
    const tests =
      mutant.status === "NoCoverage" ? "no test reaches it" : `${mutant.coveredBy?.length ?? 0} tests`;
    console.log(
      `${mutant.file}:${mutant.location.start.line}  ${mutant.line}\n    ${changeOf(mutant)}  (${tests})`,
    );
  }
  for (const { file, line } of unknown)
    console.log(`equivalent.json lists what did not survive: ${file}  ${line}`);
}

/** Replaces the row of the folder in the table of docs/testing.md. */
export function writeRow({ folder, row }) {
  const page = readFileSync(PAGE, "utf8");
  const lines = page.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| \`${folder}\` | `) && line.includes(" % | "));
  if (at < 0) throw new RangeError(`docs/testing.md has no row of ${folder}`);
  lines[at] = row;
  writeFileSync(PAGE, lines.join("\n"));
}
