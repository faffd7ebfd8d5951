/**
 * How a caller may react to an error.
 * `never`: correct the request first. `later`: nothing was done, so the same request may be sent again. `reconcile`:
 * the outcome is unknown; look the order up by its client id before sending anything.
 */
export type RetryClass = "never" | "later" | "reconcile";

/** One row of the error table: wire number, HTTP status, retry class, text with `{name}` placeholders, remedy. */
export interface ErrorRow {
  readonly code: number;
  readonly status: number;
  readonly retry: RetryClass;
  readonly text: string;
  readonly remedy: string;
}

/** The name of an error: the stable key of the table {@link ERRORS}. */
export type ErrorName =
  | "UNKNOWN"
  | "DISCONNECTED"
  | "SHARD_FENCED"
  | "SHARD_ELSEWHERE"
  | "ENGINE_CLOSED"
  | "UNAUTHORIZED"
  | "TOO_MANY_REQUESTS"
  | "TOO_MANY_CONNECTIONS"
  | "TOO_MANY_STREAMS"
  | "IP_BANNED"
  | "UNEXPECTED_RESPONSE"
  | "TIMEOUT"
  | "SERVER_BUSY"
  | "FILTER_NOTIONAL"
  | "FILTER_ICEBERG_PARTS"
  | "ICEBERG_EXCEEDS_QUANTITY"
  | "UNSUPPORTED_COMBINATION"
  | "TOO_MANY_ORDERS"
  | "SHUTTING_DOWN"
  | "UNSUPPORTED_OPERATION"
  | "ADVANCED_ORDERS_OFF"
  | "UNKNOWN_METHOD"
  | "TIMESTAMP_OUTSIDE"
  | "TIMESTAMP_AHEAD"
  | "BAD_SIGNATURE"
  | "SIGNATURE_REUSED"
  | "TIMES_REVERSED"
  | "NOT_FOUND"
  | "ILLEGAL_CHARS"
  | "DUPLICATE_PARAMETER"
  | "TOO_MANY_PARAMETERS"
  | "BODY_TOO_LARGE"
  | "REQUEST_TIMEOUT"
  | "PARAMETER_MISSING"
  | "PARAMETER_MISSING_BOTH"
  | "PARAMETER_ABOVE"
  | "UNREAD_PARAMETER"
  | "PARAMETER_EMPTY"
  | "PARAMETER_NOT_REQUIRED"
  | "PARAMETER_OVERFLOW"
  | "PRECISION"
  | "NO_DEPTH"
  | "TIME_IN_FORCE_NOT_REQUIRED"
  | "BAD_TIME_IN_FORCE"
  | "BAD_ORDER_TYPE"
  | "BAD_SIDE"
  | "EMPTY_NEW_CLIENT_ID"
  | "EMPTY_CLIENT_ID"
  | "BAD_INTERVAL"
  | "BAD_KLINE_INTERVAL"
  | "BAD_SYMBOL"
  | "NOT_TRADED"
  | "BAD_COMBINATION"
  | "INVALID_PARAMETER"
  | "BAD_RECV_WINDOW"
  | "BAD_CANCEL_RESTRICTIONS"
  | "BAD_STRATEGY"
  | "INVALID_JSON"
  | "INVALID_REQUEST_ID"
  | "INVALID_PARAMS"
  | "NESTED_JSON"
  | "OCO_TYPE_REJECTED"
  | "BUY_OCO_LIMIT_BELOW"
  | "SELL_OCO_LIMIT_ABOVE"
  | "OCO_BOTH_LIMIT"
  | "BUY_OCO_STOP_ABOVE"
  | "SELL_OCO_STOP_BELOW"
  | "BUY_OCO_TAKE_PROFIT_BELOW"
  | "SELL_OCO_TAKE_PROFIT_ABOVE"
  | "ORDER_REJECTED"
  | "DUPLICATE_ORDER"
  | "INSUFFICIENT_BALANCE"
  | "ACCOUNT_DISABLED"
  | "UNKNOWN_ACCOUNT"
  | "ACCOUNT_RESTRICTED"
  | "SYMBOL_RESTRICTED"
  | "MARKET_CLOSED"
  | "WOULD_MATCH"
  | "BAD_PRICE_RELATION"
  | "CANCEL_REJECTED"
  | "CANCEL_RESTRICTED"
  | "NO_SUCH_ORDER"
  | "NO_VOLUME_HISTORY"
  | "BAD_API_KEY_FORMAT"
  | "REJECTED_API_KEY"
  | "REDUCE_ONLY_REJECTED"
  | "CANCEL_REPLACE_PARTIAL"
  | "CANCEL_REPLACE_FAILED"
  | "SUBSCRIPTION_ACTIVE"
  | "SUBSCRIPTION_INACTIVE"
  | "AMEND_REJECTED"
  | "AMEND_NOT_NOW"
  | "CLIENT_ID_MISMATCH"
  | "TOO_MANY_SUBSCRIPTIONS";

const row = (code: number, status: number, retry: RetryClass, text: string, remedy: string): ErrorRow => Object.freeze({ code, status, retry, text, remedy });

/*
 * Some conditions have a name of their own in process but are byte for byte the same error on the wire: the host of the
 * engine learns the cause, a client learns what to do.
 */
const DISCONNECTED: ErrorRow = row(-1001, 503, "later", "Internal error; unable to process your request. Please try again.", "Nothing was stored. Send the same request again.");
const UNSUPPORTED_OPERATION: ErrorRow = row(-1020, 404, "never", "This operation is not supported.", "Ask the operator which orders are enabled on this deployment.");
const ACCOUNT_DISABLED: ErrorRow = row(-2010, 400, "never", "This action is disabled on this account.", "The owner of the account must give the enableDataSharing consent.");

/**
 * Every error that the product can answer with, by name. No other place holds a wire number or an HTTP status. Source:
 * contract "Errors", convention section 2.
 *
 * @example
 * ```ts
 * import { ERRORS } from "managed-orders";
 * console.log(ERRORS.BAD_SYMBOL.code); // -1121
 * ```
 */
export const ERRORS: Readonly<Record<ErrorName, ErrorRow>> = Object.freeze({
  UNKNOWN: row(-1000, 500, "later", "An unknown error occurred while processing the request.", "Send the request again. If the error persists, report the request id."),
  DISCONNECTED,
  SHARD_FENCED: DISCONNECTED,
  SHARD_ELSEWHERE: DISCONNECTED,
  ENGINE_CLOSED: DISCONNECTED,
  UNAUTHORIZED: row(-1002, 401, "never", "You are not authorized to execute this request.", "Use your own account, or one that is delegated to you."),
  TOO_MANY_REQUESTS: row(-1003, 429, "later", "Too much request weight used; current limit is {limit} request weight per {interval}. Please use WebSocket Streams for live updates to avoid polling the API.", "Wait for the time given in Retry-After."),
  TOO_MANY_CONNECTIONS: row(-1003, 429, "later", "Too many connections; current limit is {limit} connections per {interval}.", "Keep connections open instead of reopening them. Wait for the time given in Retry-After."),
  TOO_MANY_STREAMS: row(-1003, 429, "later", "Too many streams; current limit is {limit} streams per {interval}.", "Unsubscribe from streams that you do not need, or wait until others have ended."),
  IP_BANNED: row(-1003, 429, "later", "Way too much request weight used; IP banned until {until}. Please use WebSocket Streams for live updates to avoid bans.", "Wait for the time given in Retry-After."),
  UNEXPECTED_RESPONSE: row(-1006, 500, "reconcile", "An unexpected response was received from the message bus. Execution status unknown.", "Look the order up by its client id before you send it again."),
  TIMEOUT: row(-1007, 504, "reconcile", "Timeout waiting for response from backend server. Send status unknown; execution status unknown.", "Look the order up by its client id before you send it again."),
  SERVER_BUSY: row(-1008, 503, "later", "Server is currently overloaded with other requests. Please try again in a few minutes.", "Nothing was stored. Send the same request again later."),
  FILTER_NOTIONAL: row(-1013, 400, "never", "Filter failure: NOTIONAL", "Increase the quantity or the price so that the order is worth at least {minimum} USD.{advice}"),
  FILTER_ICEBERG_PARTS: row(-1013, 400, "never", "Filter failure: ICEBERG_PARTS", "Increase icebergQty so that the order has at most {limit} parts."),
  ICEBERG_EXCEEDS_QUANTITY: row(-1013, 400, "never", "IcebergQty exceeds QTY.", "Send a '{field}' that is not greater than the quantity."),
  UNSUPPORTED_COMBINATION: row(-1014, 400, "never", "Unsupported order combination.", "Change or omit '{field}': targetStrategy is valid only on a single LIMIT order, and a list cannot contain schedules."),
  TOO_MANY_ORDERS: row(-1015, 429, "later", "Too many new orders; current limit is {limit} orders per {interval}.", "Wait for the time given in Retry-After."),
  SHUTTING_DOWN: row(-1016, 503, "later", "This service is no longer available.", "Send the request again after the service has restarted. The service still accepts cancels."),
  UNSUPPORTED_OPERATION,
  ADVANCED_ORDERS_OFF: UNSUPPORTED_OPERATION,
  UNKNOWN_METHOD: row(-1020, 400, "never", "This operation is not supported.", "Send a WebSocket request method, such as order.place."),
  TIMESTAMP_OUTSIDE: row(-1021, 400, "never", "Timestamp for this request is outside of the recvWindow.", "Send the current epoch time in milliseconds, and synchronize your clock."),
  TIMESTAMP_AHEAD: row(-1021, 400, "never", "Timestamp for this request was 1000ms ahead of the server's time.", "Synchronize your clock, and compare it with /api/time."),
  BAD_SIGNATURE: row(-1022, 400, "never", "Signature for this request is not valid.", "Sign exactly the bytes that you send: the query, then the body, without the signature itself; over WebSocket, the parameters sorted by name. Sign every request anew."),
  SIGNATURE_REUSED: row(-1022, 400, "never", "Signature for this request is not valid.", "The same signature was already used for another request. Vary the timestamp or the recvWindow, and sign again."),
  TIMES_REVERSED: row(-1023, 400, "never", "Start time is greater than end time.", "Swap startTime and endTime."),
  NOT_FOUND: row(-1099, 404, "never", "Not found, authenticated, or authorized.", "Check the path and the method."),
  ILLEGAL_CHARS: row(-1100, 400, "never", "Illegal characters found in parameter '{field}'; legal range is '{range}'.", "Send a '{field}' in the legal range.{advice}"),
  DUPLICATE_PARAMETER: row(-1101, 400, "never", "Duplicate values for a parameter detected.", "Send '{field}' only once, either in the query or in the body."),
  TOO_MANY_PARAMETERS: row(-1101, 400, "never", "Too many parameters; expected '{limit}' and received '{received}'.", "Send fewer parameters."),
  BODY_TOO_LARGE: row(-1101, 413, "never", "Request body is too large; expected at most '{limit}' bytes and received '{received}'.", "Send fewer or shorter parameters."),
  REQUEST_TIMEOUT: row(-1007, 408, "later", "Timeout waiting for the request to arrive.", "Send the complete request within 30 seconds."),
  PARAMETER_MISSING: row(-1102, 400, "never", "Mandatory parameter '{field}' was not sent, was empty/null, or malformed.", "Send '{field}'."),
  PARAMETER_MISSING_BOTH: row(-1102, 400, "never", "Param '{field}' or '{other}' must be sent, but both were empty/null!", "Send '{field}' or '{other}'."),
  PARAMETER_ABOVE: row(-1102, 400, "never", "'{field}' contains unexpected value. Cannot be greater than {limit}.", "Send a '{field}' of at most {limit}."),
  UNREAD_PARAMETER: row(-1104, 400, "never", "Not all sent parameters were read; read '{read}' parameter(s) but was sent '{sent}'.", "Omit '{field}': this request does not take it.{advice}"),
  PARAMETER_EMPTY: row(-1105, 400, "never", "Parameter '{field}' was empty.", "Send a value for '{field}', or omit it."),
  PARAMETER_NOT_REQUIRED: row(-1106, 400, "never", "Parameter '{field}' sent when not required.", "Omit '{field}'."),
  PARAMETER_OVERFLOW: row(-1108, 400, "never", "Parameter '{field}' overflowed.", "Send a smaller '{field}'."),
  PRECISION: row(-1111, 400, "never", "Parameter '{field}' has too much precision.", "Send '{field}' with at most {decimals} decimals."),
  NO_DEPTH: row(-1112, 400, "later", "No orders on book for symbol.", "Wait for a quote, or send a limit price or a stop price."),
  TIME_IN_FORCE_NOT_REQUIRED: row(-1114, 400, "never", "TimeInForce parameter sent when not required.", "Omit timeInForce."),
  BAD_TIME_IN_FORCE: row(-1115, 400, "never", "Invalid timeInForce.", "Use GTC, or GTD with an expireTime in the future. A plain LIMIT takes GTC, IOC or FOK."),
  BAD_ORDER_TYPE: row(-1116, 400, "never", "Invalid orderType.", "{advice}"),
  BAD_SIDE: row(-1117, 400, "never", "Invalid side.", "Use BUY or SELL."),
  EMPTY_NEW_CLIENT_ID: row(-1118, 400, "never", "New client order ID was empty.", "Send a '{field}' of 1-36 letters, digits, '.', '_' or '-'."),
  EMPTY_CLIENT_ID: row(-1119, 400, "never", "Original client order ID was empty.", "Send the client order id of the order."),
  BAD_INTERVAL: row(-1120, 400, "never", "Invalid interval.", "Use 1000 to 86400000 milliseconds. For a VWAP without volumeProfile, use whole minutes, at most 256 minutes."),
  BAD_KLINE_INTERVAL: row(-1120, 400, "never", "Invalid interval.", "Use 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 1d, 3d, 1w or 1M."),
  BAD_SYMBOL: row(-1121, 400, "never", "Invalid symbol.", "Take the symbol from exchangeInfo."),
  NOT_TRADED: row(-1121, 400, "never", "Invalid symbol.", "{symbol} does not accept orders. Use a symbol for which exchangeInfo lists orderTypes."),
  BAD_COMBINATION: row(-1128, 400, "never", "Combination of optional parameters invalid. Conflicting fields: [{fields}]", "{advice}"),
  INVALID_PARAMETER: row(-1130, 400, "never", "Data sent for parameter '{field}' is not valid.", "{advice}"),
  BAD_RECV_WINDOW: row(-1131, 400, "never", "'recvWindow' must be {rule}.", "Use a recvWindow above 0 and at most 60000."),
  BAD_STRATEGY: row(-1134, 400, "never", "`targetStrategy` is not a known strategy.", "Use 180, 1000002 or 1000004."),
  INVALID_JSON: row(-1135, 400, "never", "Invalid JSON Request", "Send one flat JSON object of strings, booleans and plain integers."),
  INVALID_REQUEST_ID: row(-1135, 400, "never", "Invalid 'id' in JSON request; expected an integer, a string matching '^[ -~]{1,36}$', or null.", "Send an id with every request."),
  INVALID_PARAMS: row(-1135, 400, "never", "Invalid 'params' in JSON request; expected an object.", "Send params as one flat JSON object of strings, booleans and plain integers."),
  NESTED_JSON: row(-1130, 400, "never", "Data sent for parameter '{field}' is not valid.", "Send '{field}' as a scalar: no object, array or null."),
  BAD_CANCEL_RESTRICTIONS: row(-1145, 400, "never", "Invalid cancelRestrictions", "{advice}"),
  OCO_TYPE_REJECTED: row(-1158, 400, "never", "Order type not supported in OCO.", "Change '{field}': pair one LIMIT, LIMIT_MAKER, TAKE_PROFIT or TAKE_PROFIT_LIMIT with one stop or trailing stop. Send an iceberg as a LIMIT with an IcebergQty."),
  BUY_OCO_LIMIT_BELOW: row(-1165, 400, "never", "A limit order in a buy OCO must be below.", "Send the stop above and the limit below; '{field}' is on the wrong side."),
  SELL_OCO_LIMIT_ABOVE: row(-1166, 400, "never", "A limit order in a sell OCO must be above.", "Send the limit above and the stop below; '{field}' is on the wrong side."),
  OCO_BOTH_LIMIT: row(-1168, 400, "never", "At least one OCO order must be contingent.", "Make one of the two legs a stop or a trailing stop."),
  BUY_OCO_STOP_ABOVE: row(-1196, 400, "never", "A stop loss order in a buy OCO must be above.", "Send the stop above and the take-profit below; '{field}' is on the wrong side."),
  SELL_OCO_STOP_BELOW: row(-1197, 400, "never", "A stop loss order in a sell OCO must be below.", "Send the take-profit above and the stop below; '{field}' is on the wrong side."),
  BUY_OCO_TAKE_PROFIT_BELOW: row(-1198, 400, "never", "A take profit order in a buy OCO must be below.", "Send the stop above and the take-profit below; '{field}' is on the wrong side."),
  SELL_OCO_TAKE_PROFIT_ABOVE: row(-1199, 400, "never", "A take profit order in a sell OCO must be above.", "Send the take-profit above and the stop below; '{field}' is on the wrong side."),
  ORDER_REJECTED: row(-2010, 400, "never", "{text}", "Change the order as the message says, or ask the operator."),
  DUPLICATE_ORDER: row(-2010, 400, "never", "Duplicate order sent.", "This client id belongs to another order. Look that order up, or use a new client id for a new order."),
  INSUFFICIENT_BALANCE: row(-2010, 400, "never", "Account has insufficient balance for requested action.", "Fund the account or send a smaller order."),
  ACCOUNT_DISABLED,
  UNKNOWN_ACCOUNT: ACCOUNT_DISABLED,
  ACCOUNT_RESTRICTED: row(-2010, 400, "never", "This account may not place or cancel orders.", "Ask the operator about the restriction."),
  SYMBOL_RESTRICTED: row(-2010, 400, "never", "This symbol is restricted for this account.", "Trade another symbol or ask the operator."),
  MARKET_CLOSED: row(-2010, 400, "later", "Market is closed.", "Wait until exchangeInfo shows the symbol as TRADING."),
  WOULD_MATCH: row(-2010, 400, "never", "Order would immediately match and take.", "Move the price away from the market, or send a LIMIT order."),
  BAD_PRICE_RELATION: row(-2010, 400, "never", "The relationship of the prices for the orders is not correct.", "{advice}"),
  CANCEL_REJECTED: row(-2011, 400, "never", "Unknown order sent.", "The order does not exist, or it has already ended. Read its status."),
  CANCEL_RESTRICTED: row(-2011, 400, "never", "Order was not canceled due to cancel restrictions.", "The order is open, and its state does not meet cancelRestrictions. Read its status, or cancel it without cancelRestrictions."),
  NO_SUCH_ORDER: row(-2013, 400, "never", "Order does not exist.", "Check the symbol, the id and the account."),
  NO_VOLUME_HISTORY: row(-2016, 400, "later", "No trading window could be found for the symbol.", "A profile needs executed volume in the completed minutes of at least two intervals. Send volumeProfile, or wait for volume."),
  BAD_API_KEY_FORMAT: row(-2014, 401, "never", "API-key format invalid.", "Send the API key in the header X-MBX-APIKEY, or over WebSocket in the parameter apiKey."),
  REJECTED_API_KEY: row(-2015, 401, "never", "Invalid API-key, IP, or permissions for action.", "Check the key, its IP list and its permissions."),
  REDUCE_ONLY_REJECTED: row(-2022, 400, "never", "ReduceOnly Order is rejected.", "Open a position first, or omit reduceOnly: there is no position that this side can reduce."),
  CANCEL_REPLACE_PARTIAL: row(-2021, 409, "never", "Order cancel-replace partially failed.", "{advice}"),
  CANCEL_REPLACE_FAILED: row(-2022, 400, "never", "Order cancel-replace failed.", "{advice}"),
  SUBSCRIPTION_ACTIVE: row(-2035, 400, "never", "User Data Stream subscription already active.", "A connection can have only one subscription per account. Use the existing one, or end it first."),
  SUBSCRIPTION_INACTIVE: row(-2036, 400, "never", "User Data Stream subscription not active.", "Send the subscriptionId of an active subscription of this connection."),
  AMEND_REJECTED: row(-2038, 400, "never", "Order amend rejected.", "{advice}"),
  AMEND_NOT_NOW: row(-2038, 400, "later", "Order amend rejected.", "{advice}"),
  CLIENT_ID_MISMATCH: row(-2039, 400, "never", "Client order ID is not correct for this order ID.", "Send both ids of the same order, or only one of them."),
  TOO_MANY_SUBSCRIPTIONS: row(-2042, 400, "never", "Maximum subscription ID reached for this connection.", "Open another connection."),
});
