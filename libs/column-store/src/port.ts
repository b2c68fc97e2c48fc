// The services' interface of the column store. The column store is ClickHouse over HTTP. A server and the embedded engine differ only in
// their URL.

export interface ColumnStoreOptions {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly database: string
  readonly requestTimeoutMs: number
  /** Maximum number of concurrent requests. Further requests wait. By default 10. */
  readonly maxOpenConnections?: number
  /** True if the tables are replicated, so that consecutive requests can reach different servers. */
  readonly replicated?: boolean
  /** If true, `update` runs a lightweight update; if false, a mutation. */
  readonly lightweightUpdates?: boolean
}

export interface NativeInsert {
  readonly table: string
  /** The columns in the order of the block. */
  readonly columns: readonly string[]
  /** One Native block, as consecutive parts that are never joined. */
  readonly body: readonly Uint8Array[]
  /**
   * Used as `insert_deduplication_token`. The engine compares only tokens, so the token must contain a hash of the body (architecture §7).
   */
  readonly token: string
  /** Settings in addition to the fixed settings of inserts. */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface RowUpdate {
  readonly table: string
  /** Assignments such as `bookmarked = {value:Bool}`. Parameters have the engine's notation. */
  readonly set: string
  readonly where: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface ReadRequest {
  /** If the signal aborts, the server cancels the query. After an abort, the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Settings of the query, such as limits and `log_comment`. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** `TSVRaw` has one row per line and does not escape texts. `JSONCompactColumns` is an array with one array per column. */
export type OutputFormat = 'TSVRaw' | 'JSONCompactColumns' | 'CSV' | 'CSVWithNames' | 'Parquet'

export interface ColumnStore {
  readonly database: string
  /** True if consecutive requests can reach different servers, some of which can lag. */
  readonly replicated: boolean
  /**
   * Sends one block without retries. Rejects with a column_store_* AppError. After an error, the block is possibly stored, unless the
   * error's class is fatal.
   */
  insert(request: NativeInsert): Promise<void>
  /** In the result, 64-bit integers are strings. Parameters can be as long as a statement. */
  query<Row>(sql: string, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Row[]>
  /** Returns the whole response in one of the formats of the column store. The statement itself must limit the size of its response. */
  queryBytes(sql: string, format: OutputFormat, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Uint8Array>
  command(sql: string, params?: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * Changes existing rows, and resolves when all readers see the change. Runs a lightweight update (which requires block numbers and the
   * user setting enable_lightweight_update) or a mutation (which rewrites whole parts).
   */
  update(update: RowUpdate): Promise<void>
  /** Returns the text response to a statement without FORMAT, such as CHECK GRANT. */
  ask(sql: string): Promise<string>
  /** Returns the server's version, and a value that is different for each server process. Rejects if the server is unreachable. */
  identify(): Promise<{ readonly version: string; readonly startedAt: string }>
  close(): Promise<void>
}
