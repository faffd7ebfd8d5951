/** The service in a node:http server. Copy host.ts; this file runs it, once with the probe and once with a service. */
import { showMount } from "../mounts/show-mount.ts";
import { createHost } from "./host.ts";

await showMount(createHost);
