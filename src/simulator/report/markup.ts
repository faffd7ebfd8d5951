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

/** A column of a table. Numbers are aligned to the right; long texts have room. */
export interface TableColumn {
  readonly name: Content;
  readonly isNumber?: boolean;
  readonly isLong?: boolean;
}

/** A table with its caption. `left` rows are not shown, which a line below the table states. */
interface TableOf {
  readonly caption: Content;
  readonly columns: readonly TableColumn[];
  /** The first cell of a row names the row. */
  readonly rows: readonly (readonly Content[])[];
  readonly left?: Readonly<{ count: number; what: string }>;
}

/** Returns a table that scrolls by itself on narrow pages. */
export function table({ caption, columns, rows, left }: TableOf): Markup {
  const heads = columns.map((column) => html`<th scope="col"${className(column)}>${column.name}</th>`);
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.map((cells) => row(cells, columns))}</tbody></table></div>
${left && more(left.count, left.what)}`;
}

function row(cells: readonly Content[], columns: readonly TableColumn[]): Markup {
  const inner = cells.map((cell, index) => {
    const name = className(columns[index] ?? {});
    return index === 0 ? html`<th scope="row"${name}>${cell}</th>` : html`<td${name}>${cell}</td>`;
  });
  return html`<tr>${inner}</tr>
`;
}

function className({ isNumber, isLong }: Omit<TableColumn, "name">): Markup | undefined {
  if (isNumber) return html` class="number"`;
  return isLong ? html` class="long"` : undefined;
}

/** Says how many more there are. */
export function more(count: number, what: string): Markup | undefined {
  return count > 0 ? html`<p class="more">${count} more ${what} not shown.</p>` : undefined;
}

/** Shows the first entries of a list; `count` are left. */
export function firstOf<T>(
  all: readonly T[],
  most: number,
): Readonly<{ shown: readonly T[]; count: number }> {
  return { shown: all.slice(0, most), count: Math.max(all.length - most, 0) };
}
