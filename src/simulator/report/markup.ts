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
