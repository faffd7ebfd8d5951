/** Each name is a type and the namespace of its functions. A namespace, unlike an object, leaves out unused functions. */
import type * as exact from "./exact.ts";
import type * as units from "./scaled.ts";

export * as Notional from "./notional.ts";
export * as Price from "./price.ts";
export * as Quantity from "./quantity.ts";

/** A USD amount (price · quantity), exact, in 1e-14 steps. */
export type Notional = exact.Notional;

/** USD per unit of the base asset, in 1e-8 steps. */
export type Price = units.Price;

/** Base-asset quantity, in 1e-6 steps; negative only as a position. */
export type Quantity = units.Quantity;
