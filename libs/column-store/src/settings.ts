// Every insert sends these settings, because the server's profile can have different values.
import { insertSettings } from '@svc-server/schema/events/insert-settings'

export type Settings = Readonly<Record<string, string | number>>

/**
 * Settings that make the server store a Native block as one block. The engine compares tokens by block, so a server that splits or joins
 * blocks would store the rows of a retry twice. The value 0 disables joining. The server does not split blocks, because no block of the
 * writer reaches the maximum number of rows.
 */
export const pinnedInsertSettings: Settings = {
  ...insertSettings,
  max_insert_threads: 1,
  max_insert_block_size: 1_048_449,
  min_insert_block_size_rows: 0,
  min_insert_block_size_bytes: 0,
  // A column with a different type shows that the schema does not match. An insert with a wrong column type must fail instead of converting
  // the column.
  input_format_native_allow_types_conversion: 0,
  // The server sends the status after its work, so a 200 means that the rows are stored.
  wait_end_of_query: 1,
}

/**
 * Settings of statements and queries. The statement repeats client ids for each range, so its text can exceed 256 KiB. With its default
 * max_query_size, a server would refuse a statement of this length.
 */
export const statementSettings = { wait_end_of_query: 1, max_query_size: '67108864' } as const

/**
 * When a client disconnects, the server cancels its query only if the query is read-only. With `readonly: 2`, the query is read-only but
 * can change settings.
 */
export const cancelledWithTheRequest: Settings = { cancel_http_readonly_queries_on_client_close: 1, readonly: 2 }
