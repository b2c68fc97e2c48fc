import { insertSettings } from '@svc-server/schema/events/insert-settings'

export type Settings = Readonly<Record<string, string | number>>

/**
 * Every insert sends these settings, because the server's profile can differ. With these settings, the server stores a Native block as one
 * block. If the server split or joined blocks, the rows of a retry could be stored twice, because tokens are compared by block.
 * `min_insert_block_size_rows` and `min_insert_block_size_bytes` are 0, so the server does not join blocks. No block of the writer reaches
 * `max_insert_block_size` rows, so the server splits no block.
 */
export const pinnedInsertSettings: Settings = {
  ...insertSettings,
  max_insert_threads: 1,
  max_insert_block_size: 1_048_449,
  min_insert_block_size_rows: 0,
  min_insert_block_size_bytes: 0,
  // If the schema does not match, the insert must fail instead of converting a column.
  input_format_native_allow_types_conversion: 0,
  // The column store sends the HTTP status only after it has completed the insert, so a 200 means that the rows are stored.
  wait_end_of_query: 1,
}

/** A statement can exceed 256 KiB, the default maximum, because its text repeats ids from clients for each range in the statement. */
export const statementSettings = { wait_end_of_query: 1, max_query_size: '67108864' } as const

/**
 * If the client disconnects, the server cancels only a read-only query. With `readonly: 2`, a query is read-only, but can change settings.
 */
export const cancelledWithTheRequest: Settings = { cancel_http_readonly_queries_on_client_close: 1, readonly: 2 }
