/**
 * Views for operators: orders and lists that have ended, and refused orders. Nothing of this package reads them. The members
 * of a value begin after the eight digits of its checksum. A price has steps of 10^-8 and a quantity of 10^-6; one beyond
 * 2^53 steps is in a member `n`.
 *
 * | view | columns |
 * |---|---|
 * | `managed_order` | `order_id`, `account_id`, `client_order_id`, `list_id`, `symbol`, `side`, `type`, `time_in_force`, `price`, `stop_price`, `quantity`, `executed_quantity`, `status`, `reason`, `accepted_at_ms`, `ended_at_ms` |
 * | `managed_list` | `list_id`, `account_id`, `list_client_order_id`, `accepted_at_ms`, `ended_at_ms`, `legs` |
 * | `api_order_reject` | `position`, `rejection_id`, `account_id`, `symbol`, `client_order_id`, `side`, `type`, `time_in_force`, `price`, `stop_price`, `quantity`, `code`, `reject_reason`, `error_message`, `time_ms` |
 */
export const OPERATOR_VIEWS: string = `
      CREATE VIEW managed_order AS SELECT
        ${columns(
          "$.parent",
          `order_id orderId, account_id accountId, client_order_id intent.clientOrderId, list_id list.listId,
           symbol intent.symbol, side intent.side, type intent.type, time_in_force intent.timeInForce`,
        )},
        ${amount("$.parent.intent.price", 8)} AS price,
        ${amount("$.parent.intent.stopPrice", 8)} AS stop_price,
        ${amount("$.parent.intent.quantity", 6)} AS quantity,
        ${amount("$.parent.executedQuantity", 6)} AS executed_quantity,
        ${columns(
          "$.parent",
          "status ended.status, reason ended.reason, accepted_at_ms acceptedAtMs, ended_at_ms ended.atMs",
        )}
      FROM (${texts("ended")});

      CREATE VIEW managed_list AS SELECT
        ${columns(
          "$",
          `list_id listId, account_id accountId, list_client_order_id listClientOrderId, accepted_at_ms acceptedAtMs,
           ended_at_ms endedAtMs, legs legs`,
        )}
      FROM (${texts("list")});

      CREATE VIEW api_order_reject AS SELECT
        CAST(substr(key, -16) AS INTEGER) AS position,
        ${columns(
          "$",
          `rejection_id rejectionId, account_id accountId, symbol symbol, client_order_id clientOrderId, side side,
           type type, time_in_force timeInForce, price price, stop_price stopPrice, quantity quantity, code code,
           reject_reason rejectReason, error_message errorMessage, time_ms timeMs`,
        )}
      FROM (${texts("reject")});
`;

/** Selects the rows of a kind without their checksums. */
function texts(kind: string): string {
  return `SELECT key, substr(value, 9) AS text FROM long WHERE key >= '${kind} ' AND key < '${kind}!'`;
}

/** Selects members: each name of a column stands before the member. */
function columns(root: string, named: string): string {
  return named
    .split(",")
    .map((each) => {
      const [name, member] = each.trim().split(" ");
      return `json_extract(text, '${root}.${member}') AS ${name}`;
    })
    .join(", ");
}

/** Selects an amount as a decimal number with this number of places. */
function amount(path: string, places: number): string {
  const steps = `CAST(coalesce(json_extract(text, '${path}.n'), json_extract(text, '${path}')) AS INTEGER)`;
  const whole = 10 ** places;
  return `CASE WHEN json_type(text, '${path}') IS NOT NULL
          THEN printf('%d.%0${places}d', ${steps} / ${whole}, ${steps} % ${whole}) END`;
}
