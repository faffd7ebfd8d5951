/** Columns of an ended parent in the order in which `endedIn` reads them, with their table. */
export const ENDED_COLUMNS: string = `e.order_id, e.record, e.shard, e.account_id, encode(e.client_order_id, 'hex'),
  e.ended_at_ms, e.list_id, e.checksum FROM managed_orders.ended AS e`;
