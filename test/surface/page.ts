import { ERRORS, type ErrorName } from "../../src/errors/index.ts";
import { COMPAT_ROUTES, openOrdersWeight } from "../../src/requests/index.ts";
import type { Parameters } from "../../src/wire/index.ts";

/** The findings of one route or method. */
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

This page lists every route and every WebSocket method. The tests in \`test/surface/\` measured each entry: they sent
every request over a real connection. \`npm run docs:update test/surface/surface\` runs the tests and rewrites this page.

- Needs: the required permission. The tests also sent each request with a key that had only the other permission, and
  with a key that had none; both were refused as -2015.
- Weight: the amount by which the request increased the used weight of the address.
- Orders: the number of orders that the request counts against the limits of placements.
- Errors: the codes that the tests provoked, each with a request of its own. [Errors by route and method](#errors-by-route-and-method) lists their causes,
  [errors.md](errors.md) their texts and remedies.
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

/** Errors by name of route: the cause of each, and the interface on which it occurred. */
function errorsOf(rest: readonly SurfaceRow[], messages: readonly SurfaceRow[]): string {
  const names = [...new Set([...rest, ...messages].map(({ name }) => name))];
  const sections = names.map((name) => {
    const byRest = rest.filter((found) => found.name === name);
    const byMessage = messages.filter((found) => found.name === name);
    const errors = new Map([...byRest, ...byMessage].flatMap(({ errors }) => [...errors]));
    const lines = [...errors].sort(([a], [b]) => ERRORS[b].code - ERRORS[a].code || (a < b ? -1 : 1));
    const over = (found: readonly SurfaceRow[], error: ErrorName): string => {
      if (found.length === 0) return "not offered";
      return found.every(({ errors }) => errors.has(error)) ? "yes" : "does not occur";
    };
    const rows = lines.map(
      ([error, how]) =>
        `| ${ERRORS[error].code} | [${error}](errors.md#${error.toLowerCase()}) | ${how} | ${over(byRest, error)} | ${over(byMessage, error)} |`,
    );
    return `### ${name}

| code | error | cause | REST | WebSocket |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
  });
  return sections.join("\n");
}

/** Limits above which an answer may weigh more. */
const LIMITS = [100, 500, 1_000];

const parametersOf = (sent: Readonly<Record<string, string>>): Parameters =>
  new Map(Object.entries(sent).map(([name, text]) => [name, { text, kind: "text" as const }]));

/** The rows of the compat prefix, whose handlers and errors are those of the routes above. */
function compatTable(): string {
  const rows = COMPAT_ROUTES.map(({ name, method, path, access, weight }) => {
    const of = (sent: Readonly<Record<string, string>>): number =>
      typeof weight === "number" ? weight : weight(parametersOf(sent));
    const [one, all] = [of({ symbol: "BTCUSD" }), of({})];
    const above = LIMITS.flatMap((limit) => {
      const [until, beyond] = [
        of({ symbol: "BTCUSD", limit: `${limit}` }),
        of({ symbol: "BTCUSD", limit: `${limit + 1}` }),
      ];
      return until === beyond ? [] : [`, ${beyond} above ${limit}`];
    });
    const perOrders =
      name === "openOrders.market" ? `; ${openOrdersWeight(100)} for each 100 orders if that is more` : "";
    const reported = `${one === all ? one : `${one} with a symbol, ${all} without`}${above.join("")}${perOrders}`;
    return `| \`${method} ${path}\` | ${reported} | ${access === "PUBLIC" ? "no key" : access} |`;
  });
  return `These routes pass requests to the handlers of the routes above, for [existing clients](existing-clients.md).
\`test/service/rest/compat/\` sends them the recorded requests of six clients.

| route | weight | needs |
| --- | --- | --- |
${rows.join("\n")}
`;
}

/** The text of docs/surface.md. */
export function surfacePage(rest: readonly SurfaceRow[], messages: readonly SurfaceRow[]): string {
  return [
    HEAD,
    "## Routes\n",
    tableOf("route", rest),
    "## Routes for existing clients\n",
    compatTable(),
    "## WebSocket methods\n",
    tableOf("method", messages),
    "## Errors by route and method\n",
    errorsOf(rest, messages),
  ].join("\n");
}

/** Cells of the page's tables that are empty. */
export function emptyCells(page: string): readonly string[] {
  return page.split("\n").filter((line) => line.startsWith("|") && /\|\s*\|/.test(line));
}
