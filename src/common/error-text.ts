/**
 * Returns whether a value is an error, also one of another realm: jest runs tests in a realm of its own, in which the
 * errors of Node.js are no instances of `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

/** Under this symbol the `instanceof` of an error class has the name of the class, the same in every copy of the package. */
const KIND = /* @__PURE__ */ Symbol.for("managed-orders/error");

type Recognition = ((value: unknown) => boolean) & { readonly [KIND]?: string };

/**
 * Returns the `instanceof` of an error class. A program can load the package twice, by `import` and by `require`, and each
 * copy has classes of its own: what one throws, the other recognises by the name. A class that a program derives from
 * one of these has no name of its own and is recognised as usual.
 */
export function recognisedAs(name: string): (value: unknown) => boolean {
  const recognition = function (this: object, value: unknown): boolean {
    if (!Object.hasOwn(this, Symbol.hasInstance))
      return Function.prototype[Symbol.hasInstance].call(this, value);
    for (let at = value; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at))
      if (Object.hasOwn(at, "constructor") && nameOf(at.constructor) === name) return true;
    return false;
  };
  return Object.assign(recognition, { [KIND]: name });
}

function nameOf(kind: unknown): string | undefined {
  const own = Object.getOwnPropertyDescriptor(Object(kind), Symbol.hasInstance);
  return (own?.value as Recognition | undefined)?.[KIND];
}

/**
 * Returns what may be revealed about a failure that any client may have caused: the name of an error, else the type
 * of the thrown value. Never returns the message, which may quote a secret or client input.
 */
export function errorName(error: unknown): string {
  return isError(error) ? error.name : typeof error;
}

/**
 * Returns the message of an error, else the text of the thrown value. For the operator, and for failures whose text
 * no client can choose.
 */
export function errorMessage(error: unknown): string {
  return isError(error) ? error.message : String(error);
}

/** Returns the code of a system error, such as `ENOSPC`; `unknown` if there is none. */
export function errorCode(error: unknown): string {
  return isError(error) && "code" in error ? String(error.code) : "unknown";
}
