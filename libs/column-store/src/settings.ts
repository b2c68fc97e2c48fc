// Settings that every insert carries, whatever the server's profile sets.
import { insertSettings } from '@svc-server/schema/events/insert-settings'

export type Settings = Readonly<Record<string, string | number>>

/**
 * One Native block stays one block: the engine compares tokens per block, so a server that cuts or joins blocks would
 * break every retry. The value 0 switches joining off, and no block of the writer reaches the maximum number of rows.
 */
export const pinnedInsertSettings: Settings = {
  ...insertSettings,
  max_insert_threads: 1,
  max_insert_block_size: 1_048_449,
  min_insert_block_size_rows: 0,
  min_insert_block_size_bytes: 0,
  // A column of another type is a schema mismatch and must fail instead of being converted.
  input_format_native_allow_types_conversion: 0,
  // The status line comes after the work, so a 200 means stored.
  wait_end_of_query: 1,
}

/**
 * Settings of statements and queries. A statement's text repeats client ids once per named range, so it may exceed the 256 KiB that
 * a server reads by default; the server would then refuse it on every try.
 */
export const statementSettings = { wait_end_of_query: 1, max_query_size: '67108864' } as const

/**
 * A server cancels the query of a disconnected client only when the query is read-only. The value 2 makes it read-only and still allows
 * settings.
 */
export const cancelledWithTheRequest: Settings = { cancel_http_readonly_queries_on_client_close: 1, readonly: 2 }
