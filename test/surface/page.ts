import { ERRORS, type ErrorName } from "../../src/errors/index.ts";

/** What was found out of one route or method. */
export type SurfaceRow = {
  readonly name: string;
  /** Method and path, or the name of the method. */
  readonly address: string;
  answers?: string;
  needs?: string;
  weight?: string;
  orders?: number;
  readonly errors: Map<ErrorName, string>;
};

const HEAD = `# Surface

Every route and every WebSocket method, as the tests in \`test/surface/\` found them: each request was sent over a real
connection. \`npm run docs:surface\` runs them and rewrites this page.

- Needs: the permission without which the request is refused as -2015; a key with the other permission alone, and one
  with none, were refused.
- Weight: by how much the used weight of the address rose.
- Orders: how many orders it counts against the limits of placements.
- Errors: the codes that were brought about, one by one; [below](#errors-of-each) how. Texts and remedies stand in
  [errors.md](errors.md).
`;

const cell = (value: string | number | undefined): string => String(value ?? "");

function codesOf(errors: ReadonlyMap<ErrorName, string>): string {
  const codes = new Set([...errors.keys()].map((name) => ERRORS[name].code));
  return [...codes].sort((a, b) => b - a).join(" ");
}

function tableOf(title: string, found: readonly SurfaceRow[]): string {
  const rows = found.map(({ address, needs, weight, orders, answers, errors }) =>
    [`\`${address}\``, cell(needs), cell(weight), cell(orders), cell(answers), codesOf(errors)].join(" | "),
  );
  return `| ${title} | needs | weight | orders | answers with | errors |
| --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${row} |`).join("\n")}
`;
}

/** Errors by name of route: what brings each about, and over which of the two it was. */
function errorsOf(rest: readonly SurfaceRow[], messages: readonly SurfaceRow[]): string {
  const names = [...new Set([...rest, ...messages].map(({ name }) => name))];
  const sections = names.map((name) => {
    const byRest = rest.filter((found) => found.name === name);
    const byMessage = messages.filter((found) => found.name === name);
    const errors = new Map([...byRest, ...byMessage].flatMap(({ errors }) => [...errors]));
    const lines = [...errors].sort(([a], [b]) => ERRORS[b].code - ERRORS[a].code || (a < b ? -1 : 1));
    const over = (found: readonly SurfaceRow[], error: ErrorName): string => {
      if (found.length === 0) return "no such";
      return found.every(({ errors }) => errors.has(error)) ? "yes" : "does not occur";
    };
    const rows = lines.map(
      ([error, how]) =>
        `| ${ERRORS[error].code} | [${error}](errors.md#${error.toLowerCase()}) | ${how} | ${over(byRest, error)} | ${over(byMessage, error)} |`,
    );
    return `### ${name}

| code | error | brought about by | REST | WebSocket |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
  });
  return sections.join("\n");
}

/** The text of docs/surface.md. */
export function surfacePage(rest: readonly SurfaceRow[], messages: readonly SurfaceRow[]): string {
  return [
    HEAD,
    "## Routes\n",
    tableOf("route", rest),
    "## WebSocket methods\n",
    tableOf("method", messages),
    "## Errors of each\n",
    errorsOf(rest, messages),
  ].join("\n");
}

/** Cells of the page's tables that hold nothing. */
export function emptyCells(page: string): readonly string[] {
  return page.split("\n").filter((line) => line.startsWith("|") && /\|\s*\|/.test(line));
}
