/**
 * The REST interface without a transport: authentication, rate limits, handlers and replies over an engine.
 *
 * @packageDocumentation
 */
export { MAX_BODY_BYTES, type Service, type ServiceOptions, type ServiceSettings } from "./api.ts";
export { type ManagedOrder, type ManagedOrderContext, managedOrderView } from "./managed-order.ts";
export { type LegIdentity, type OrderListView, orderListView } from "./order-list-view.ts";
export { createService } from "./service.ts";
