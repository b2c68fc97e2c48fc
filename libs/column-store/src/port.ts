// The services' interface to ClickHouse over HTTP. A server and the embedded engine differ only in their URL.

export interface ColumnStoreOptions {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly database: string
  readonly requestTimeoutMs: number
  /** Maximum threads of a query. By default, ClickHouse chooses the number. */
  readonly maxReadThreads?: number | undefined
  /** Maximum number of connections, by default 10. Further requests wait. */
  readonly maxOpenConnections?: number
  /** True if consecutive requests can reach different servers. */
  readonly replicated?: boolean
  /** If true, `update` runs lightweight updates. If false, it runs mutations. */
  readonly lightweightUpdates?: boolean
}

export interface NativeInsert {
  readonly table: string
  /** The columns in the order of the block. */
  readonly columns: readonly string[]
  /** One Native block, in consecutive parts. */
  readonly body: readonly Uint8Array[]
  /** The `insert_deduplication_token`. The engine compares only tokens, so the token must contain a hash of the body (architecture §7). */
  readonly token: string
  /** Settings in addition to the fixed settings of inserts. */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface RowUpdate {
  readonly table: string
  /** Contains assignments such as `bookmarked = {value:Bool}`. */
  readonly set: string
  readonly where: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface ReadRequest {
  /** When the signal aborts, the server cancels the query. The promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Settings of the query, such as limits and `log_comment`. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** `TSVRaw` is one line per row, without escapes. `JSONCompactColumns` is one JSON array per column. */
export type OutputFormat = 'TSVRaw' | 'JSONCompactColumns' | 'CSV' | 'CSVWithNames' | 'Parquet'

export interface ColumnStore {
  readonly database: string
  /** True if consecutive requests can reach different servers, some of which can lag. */
  readonly replicated: boolean
  /**
   * Sends one block without retries. Rejects with a column_store_* AppError. If the error's class is not fatal, the block is possibly
   * stored.
   */
  insert(request: NativeInsert): Promise<void>
  /** 64-bit integers are strings. The parameters have no length limit of their own: `max_query_size` limits the whole statement. */
  query<Row>(sql: string, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Row[]>
  /** The statement must limit the size of the response. */
  queryBytes(sql: string, format: OutputFormat, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Uint8Array>
  command(sql: string, params?: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * Resolves when all readers see the change. Runs a lightweight update (which needs block numbers and the setting
   * enable_lightweight_update) or a mutation (which rewrites whole parts).
   */
  update(update: RowUpdate): Promise<void>
  /** Runs a statement without FORMAT, such as CHECK GRANT. */
  ask(sql: string): Promise<string>
  /** `startedAt` differs for each server process. */
  identify(): Promise<{ readonly version: string; readonly startedAt: string }>
  close(): Promise<void>
}
