/**
 * Returns a detail of a failure together with a hint if this is a page of another origin than the address. A browser hides
 * from the page why a request without a reply has failed, also if the reason is that the service does not allow the origin.
 */
export function withOriginHint(detail: string | undefined, url: string): string | undefined {
  const { location } = globalThis as Readonly<{ location?: Readonly<{ origin?: unknown }> }>;
  const origin = location?.origin;
  if (typeof origin !== "string" || origin === new URL(url.replace(/^ws/, "http")).origin) return detail;
  const hint = `\`allowedOrigins\` of the service may lack ${origin}`;
  return detail === undefined ? hint : `${detail}; ${hint}`;
}
