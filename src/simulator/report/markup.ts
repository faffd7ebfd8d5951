/** Text of HTML in which everything foreign is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand between the parts of {@link html}. Text is escaped; nothing stands for `undefined`. */
export type Content = Markup | string | number | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that are invisible, reverse the direction of text, or are half a character. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/gu;

/** Returns HTML. Contents are escaped, for text and for attributes in double quotes. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let text = parts[0] ?? "";
  for (const [index, content] of contents.entries()) text += markupOf(content) + (parts[index + 1] ?? "");
  return new Markup(text);
}

function markupOf(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escaped(content);
  return content.map(markupOf).join("");
}

/** Returns text in which no character ends an element or an attribute. Characters that cannot be seen are named. */
function escaped(text: string): string {
  return text
    .replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** A column of a table, and how its cells look. Numbers are aligned to the right; long texts have room. */
type Column = Readonly<{ name: Content; kind: "text" | "number" | "long" }>;

/** Returns columns that look the same. */
export const columns = (kind: Column["kind"], ...names: readonly Content[]): readonly Column[] =>
  names.map((name) => ({ name, kind }));

/** A table with its caption. `left` orders have no row, which a line below the table states. */
type TableOf = Readonly<{
  caption: Content;
  columns: readonly Column[];
  /** The first cell of a row names the row. */
  rows: readonly (readonly Content[])[];
  left?: number;
}>;

/** Returns a table that scrolls by itself on narrow pages. */
export function table({ caption, columns: shown, rows, left = 0 }: TableOf): Markup {
  const classes = shown.map(({ kind }) => (kind === "text" ? undefined : html` class="${kind}"`));
  const heads = shown.map(({ name }, index) => html`<th scope="col"${classes[index]}>${name}</th>`);
  const row = (cells: readonly Content[]): Markup => html`<tr>${cells.map(cell)}</tr>
`;
  const cell = (content: Content, index: number): Markup =>
    index === 0
      ? html`<th scope="row"${classes[0]}>${content}</th>`
      : html`<td${classes[index]}>${content}</td>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.map(row)}</tbody></table></div>
${more(left, "orders")}`;
}

/** Says how many more there are, if there are any. */
export function more(count: number, what: string): Markup | undefined {
  return count > 0 ? html`<p class="more">${count} more ${what} not shown.</p>` : undefined;
}

/** Draws the first entries of a list, and says how many more there are. */
export function firstOf<T>(
  all: readonly T[],
  { most, what }: Readonly<{ most: number; what: string }>,
  draw: (each: T) => Content,
): Content {
  return [all.slice(0, most).map(draw), more(all.length - most, what)];
}
