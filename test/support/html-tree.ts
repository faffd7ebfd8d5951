/** An element of a page. `text` is all text in it, without that of style and script. */
export interface HtmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly HtmlElement[];
  readonly text: string;
}

type Open = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: HtmlElement[];
  text: string;
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const RAW = new Set(["style", "script"]);
const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+="[^"<>]*")*)\s*(\/?)>/y;
const ATTRIBUTE = /\s+([a-zA-Z-]+)="([^"<>]*)"/g;

/** Replaces the entities of a text. Throws for an unknown one and for a bare ampersand. */
function decoded(text: string): string {
  return text.replace(/&([^;&]*;?)/g, (_, name: string) => {
    const value = name.endsWith(";") ? ENTITIES[name.slice(0, -1)] : undefined;
    if (value === undefined) throw new Error(`a bare ampersand or an unknown entity: &${name}`);
    return value;
  });
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw new Error(`the attribute ${name} occurs twice`);
    attributes.set(name, decoded(value));
  }
  return attributes;
}

/**
 * Reads a page strictly: every element is closed in order, every attribute is quoted and unique, and every special
 * character is an entity. Throws an Error for anything else.
 */
export function parseHtml(text: string): HtmlElement {
  const start = "<!DOCTYPE html>\n";
  if (!text.startsWith(start)) throw new Error("the page has no doctype");
  const page: Open = { name: "", attributes: new Map(), children: [], text: "" };
  const open: Open[] = [page];
  let at = start.length;
  const addText = (more: string): void => {
    if (more.includes(">")) throw new Error(`a bare character > in ${JSON.stringify(more.slice(0, 80))}`);
    for (const element of open) element.text += decoded(more);
  };
  while (at < text.length) {
    const next = text.indexOf("<", at);
    addText(text.slice(at, next < 0 ? text.length : next));
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(text);
    if (tag === null) throw new Error(`not a tag: ${text.slice(next, next + 80)}`);
    at = TAG.lastIndex;
    const [, slash, name = "", attributes = "", isEmpty] = tag;
    if (slash === "/") {
      const closed = open.pop();
      if (closed?.name !== name) throw new Error(`</${name}> closes <${closed?.name}>`);
      continue;
    }
    const element: Open = { name, attributes: attributesOf(attributes), children: [], text: "" };
    open.at(-1)?.children.push(element);
    if (RAW.has(name)) at = text.indexOf(`</${name}>`, at) + name.length + 3;
    else if (isEmpty !== "/") open.push(element);
  }
  if (open.length !== 1) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  const [root] = page.children;
  if (root === undefined || page.children.length > 1) throw new Error("the page has no single root");
  return root;
}

/** Returns the elements in an element that fit, in order of the page. */
export function elementsOf(
  root: HtmlElement,
  fits: (element: HtmlElement) => boolean,
): readonly HtmlElement[] {
  return root.children.flatMap((child) => [...(fits(child) ? [child] : []), ...elementsOf(child, fits)]);
}

/** Returns the cells of the table with a caption, row by row, without its head. */
export function rowsOf(root: HtmlElement, caption: string): readonly (readonly string[])[] {
  const tables = elementsOf(root, ({ name }) => name === "table");
  const found = tables.find((table) => table.children.some(({ text }) => text === caption));
  const body = found?.children.find(({ name }) => name === "tbody");
  if (body === undefined) throw new Error(`the page has no table ${caption}`);
  return body.children.map((row) => row.children.map(({ text }) => text));
}
