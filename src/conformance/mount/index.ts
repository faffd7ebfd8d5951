export { testMount } from "./mount.ts";
export type { MountSubject, MountSupport, OpenMount } from "./place.ts";
