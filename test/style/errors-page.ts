import { ERRORS, type ErrorName, type ErrorRow } from "../../src/errors/index.ts";

const head = `# Errors

Every error has a stable name, a negative code, an HTTP status and a retry class. On the wire it is
\`{"code": -1121, "msg": "Invalid symbol.", "error": "Invalid symbol. Take the symbol from exchangeInfo."}\`:
\`msg\` is the text, \`error\` the text and what to do about it. In code it is an \`OrderError\`, whose \`reason\` is the name.
One code can stand for several errors; the name tells them apart. \`{field}\` and its like are filled in.

| retry | what a caller may do |
| --- | --- |
| never | Mend the request first; sent again as it is, it will be refused again. |
| later | Nothing was done; the same request may be sent again. |
| reconcile | The outcome is not known; look the order up by its client id before anything is sent again. |

This page is made from the table in \`src/errors/error-table.ts\` by \`npm run docs:errors\`.
`;

const advice = (remedy: string): string =>
  remedy === "{advice}" ? "The reply says it for the case at hand." : remedy;

/** Names that exist in process only, with what they mean there. */
const IN_PROCESS: Readonly<Partial<Record<ErrorName, readonly [wire: ErrorName, meaning: string]>>> = {
  SHARD_FENCED: ["DISCONNECTED", "Another engine has taken the shard of the account over; ask that one."],
  ENGINE_CLOSED: ["DISCONNECTED", "The engine was closed before it could answer."],
  ADVANCED_ORDERS_OFF: ["UNSUPPORTED_OPERATION", "The setting advancedOrders or liquidityMode is off."],
  UNKNOWN_ACCOUNT: ["ACCOUNT_DISABLED", "The accounts port knows no such account."],
};

function inProcess(name: string): string {
  const [wire, meaning] = IN_PROCESS[name as ErrorName] ?? [];
  if (wire === undefined) return "";
  return `\nA name in process only; on the wire it is [${wire}](#${wire.toLowerCase()}). ${meaning}\n`;
}

const section = ([name, row]: readonly [string, ErrorRow]): string => `## ${name}

Code ${row.code}, HTTP ${row.status}, retry ${row.retry}.
${inProcess(name)}
- Text: ${row.text}
- What to do: ${advice(row.remedy)}
`;

/** The text of docs/errors.md: one section per error, so that every name is an anchor, by code from -1000 down. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).sort(([, a], [, b]) => b.code - a.code);
  return [head, ...rows.map(section)].join("\n");
}
