import { type Content, html, type Markup } from "./markup.ts";

/** A column of a table. Numbers are aligned to the right; long texts have room. */
export interface TableColumn {
  readonly name: Content;
  readonly isNumber?: boolean;
  readonly isLong?: boolean;
}

/** A table with its caption. `left` rows are not shown, which a line below the table states. */
export interface TableOf {
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
