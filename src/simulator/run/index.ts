export type { SimulationOptions } from "./options.ts";
export { simulate } from "./simulate.ts";
