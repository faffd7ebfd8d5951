type Name = "secret" | "payload" | "parameters" | "query" | "apiKey" | "signature" | "field";

const isText = (value: unknown): boolean => typeof value === "string";

/** What an option must be; any other, a string. */
const WANTED: Readonly<Partial<Record<Name, string>>> = {
  secret: "the API secret, a string that is not empty",
  payload: "the text to sign, as a string or Uint8Array",
  parameters: 'an object of parameters by name, such as { symbol: "BTC/USD" }',
  query: 'the query without its question mark, such as "timestamp=1760000000000"',
};

const isPayload = (value: unknown): boolean => isText(value) || value instanceof Uint8Array;
const isParameters = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const FITS: Readonly<Partial<Record<Name, (value: unknown) => boolean>>> = {
  payload: isPayload,
  parameters: isParameters,
};

/**
 * Throws a TypeError that names an option of a signing function that is missing, misspelt or of the wrong type, and a
 * RangeError for an empty secret. Never shows a value. Every option of these functions is required, so an unknown name
 * is a misspelling of the missing one; the checks of `common/` would add 1 kB to a page.
 */
export function requireSigning<T extends Name>(
  options: Readonly<Record<T, unknown>>,
  name: string,
  needed: readonly T[],
): void {
  if (typeof options !== "object" || options === null)
    throw new TypeError(`${name} must be an object with ${needed.join(", ")}`);
  for (const option of needed) {
    const value = options[option];
    if (value === undefined) throw missing(options, name, { option, needed });
    const message = `${name}.${option} must be ${wanted(option)}`;
    if (!(FITS[option] ?? isText)(value)) throw new TypeError(message);
    if (option === "secret" && value === "") throw new RangeError(message);
  }
}

/** Throws a TypeError for parameters that are no object. */
export function requireParameters(parameters: unknown, name: string): void {
  if (!isParameters(parameters)) throw new TypeError(`${name} must be ${WANTED.parameters}`);
}

/**
 * Throws a TypeError that names an option of a verification that a host hands in wrongly. The signature comes from a
 * client and may be anything; the secret of an unknown key is undefined.
 */
export function requireVerifying(options: Readonly<Record<"secret" | "payload", unknown>> | undefined): void {
  const { secret, payload } = options ?? {};
  if (!isPayload(payload)) throw new TypeError(`verifySignature.payload must be ${WANTED.payload}`);
  if (secret !== undefined && !isText(secret))
    throw new TypeError("verifySignature.secret must be a string, or undefined for an unknown key");
}

const wanted = (option: Name): string => WANTED[option] ?? "a string";

function missing(
  options: object,
  name: string,
  { option, needed }: Readonly<{ option: Name; needed: readonly string[] }>,
): TypeError {
  const unknown = Object.keys(options).find((given) => !needed.includes(given));
  if (unknown === undefined) return new TypeError(`${name}.${option} is missing: pass ${wanted(option)}`);
  return new TypeError(`unknown option \`${unknown}\` of ${name}; did you mean \`${option}\`?`);
}
