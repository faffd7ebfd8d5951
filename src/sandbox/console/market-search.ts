/** What a search for markets looks at. */
type Named = Readonly<{ symbol: string; name: string }>;

/** Returns the markets whose symbol or name contains a text, those first whose symbol begins with it. */
export function searched<M extends Named>(markets: readonly M[], text: string): readonly M[] {
  const wanted = text.trim().toLowerCase();
  const begins = ({ symbol }: M): boolean => symbol.toLowerCase().startsWith(wanted);
  const found = markets.filter(({ symbol, name }) => `${symbol} ${name}`.toLowerCase().includes(wanted));
  return [...found.filter(begins), ...found.filter((market) => !begins(market))];
}
