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
export const VIEWS: readonly string[] = [
  `CREATE VIEW managed_orders.managed_order AS SELECT
    ${whole("order_id orderId, account_id accountId", "parent")},
    ${text("client_order_id intent.clientOrderId", "parent")}, ${whole("list_id list.listId", "parent")},
    ${text("symbol intent.symbol, side intent.side, type intent.type, time_in_force intent.timeInForce", "parent")},
    ${amount("parent,intent,price", 8)} AS price, ${amount("parent,intent,stopPrice", 8)} AS stop_price,
    ${amount("parent,intent,quantity", 6)} AS quantity, ${amount("parent,executedQuantity", 6)} AS executed_quantity,
    ${text("status ended.status, reason ended.reason", "parent")},
    ${whole("accepted_at_ms acceptedAtMs, ended_at_ms ended.atMs", "parent")}
  FROM (${texts("ended")}) AS v`,
  `CREATE VIEW managed_orders.managed_list AS SELECT
    ${whole("list_id listId, account_id accountId")}, ${text("list_client_order_id listClientOrderId")},
    ${whole("accepted_at_ms acceptedAtMs, ended_at_ms endedAtMs")}, ${text("legs legs")}
  FROM (${texts("list")}) AS v`,
  `CREATE VIEW managed_orders.api_order_reject AS SELECT
    v.position, ${text("rejection_id rejectionId")}, ${whole("account_id accountId")},
    ${text("symbol symbol, client_order_id clientOrderId, side side, type type, time_in_force timeInForce")},
    ${text("price price, stop_price stopPrice, quantity quantity")}, ${whole("code code")},
    ${text("reject_reason rejectReason, error_message errorMessage")}, ${whole("time_ms timeMs")}
  FROM (${texts("reject")}) AS v`,
];

/** Selects the rows of a kind without their checksums. A value that is no JSON is one that the store refuses too. */
function texts(kind: string): string {
  return `
    SELECT right(e.key, 16)::int8 AS position, substr(e.value, 9)::json AS row FROM managed_orders.entry AS e
    WHERE e.key >= '${kind} ' AND e.key < '${kind}!' AND e.value IS NOT NULL`;
}

/** Selects members as text: each name of a column stands before the member. */
function text(named: string, root = ""): string {
  return members(named, root, "");
}

/** Selects members as whole numbers. */
function whole(named: string, root = ""): string {
  return members(named, root, "::int8");
}

function members(named: string, root: string, type: string): string {
  return named
    .split(", ")
    .map((each) => {
      const [name = "", member = ""] = each.split(" ");
      const path = [...(root === "" ? [] : [root]), ...member.split(".")].join(",");
      return `(v.row #>> '{${path}}')${type} AS ${name}`;
    })
    .join(", ");
}

/** Selects an amount as a decimal number with this number of places. */
function amount(path: string, places: number): string {
  const steps = `CASE json_typeof(v.row #> '{${path}}') WHEN 'object' THEN v.row #>> '{${path},n}' ELSE v.row #>> '{${path}}' END`;
  return `round((${steps})::numeric / ${10 ** places}, ${places})`;
}
