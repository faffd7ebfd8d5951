import type { MethodDescriptor, RouteDescriptor } from "../../requests/index.ts";

/** The replay guard keeps what each signature was used for: one text for all that were used alike. */
const USES: WeakMap<RouteDescriptor | MethodDescriptor, string> = new WeakMap();

/** What a signature is used for: method and path of REST, or the WebSocket method. Source: decision 41. */
export function useOf(target: RouteDescriptor | MethodDescriptor): string {
  const known = USES.get(target);
  if (known !== undefined) return known;
  const use = "path" in target ? `${target.method} ${target.path}` : `WebSocket ${target.name}`;
  USES.set(target, use);
  return use;
}
