// The interface of the column store for services: ClickHouse over HTTP. A server and the embedded engine differ only in their URL.

export interface ColumnStoreOptions {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly database: string
  readonly requestTimeoutMs: number
  /** Maximum number of simultaneous requests. Additional requests wait. Defaults to 10. */
  readonly maxOpenConnections?: number
  /** True if the tables are replicated. Consecutive requests can then reach different servers. */
  readonly replicated?: boolean
  /** Whether `update` runs a lightweight update. The default is a mutation. */
  readonly lightweightUpdates?: boolean
}

export interface NativeInsert {
  readonly table: string
  /** Columns in the block's order. */
  readonly columns: readonly string[]
  /** One Native block as consecutive parts, which are never joined. */
  readonly body: readonly Uint8Array[]
  /**
   * `insert_deduplication_token`. The engine ignores the block's content when it compares tokens, so the token must
   * contain a hash of the body (architecture §7).
   */
  readonly token: string
  /** Sent in addition to the pinned settings of inserts. */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface RowUpdate {
  readonly table: string
  /** Assignments such as `bookmarked = {value:Bool}`, with parameters in the engine's form. */
  readonly set: string
  readonly where: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface ReadRequest {
  /** When the signal aborts, the server also cancels the query. The promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Settings of this query, such as limits and `log_comment`. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** `TSVRaw`: one text per row, unescaped. `JSONCompactColumns`: an array of arrays, one per column. */
export type OutputFormat = 'TSVRaw' | 'JSONCompactColumns' | 'CSV' | 'CSVWithNames' | 'Parquet'

export interface ColumnStore {
  readonly database: string
  /** True when consecutive requests may reach different servers, which may lag behind each other. */
  readonly replicated: boolean
  /**
   * Sends one block, without retries. Rejects with a column_store_* AppError. Unless the error's class is fatal, the block may have been
   * stored.
   */
  insert(request: NativeInsert): Promise<void>
  /** Returns 64-bit integers as strings. Parameters can be as long as statements. */
  query<Row>(sql: string, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Row[]>
  /** Returns the whole response in one of the column store's own formats. The statement must bound its size. */
  queryBytes(sql: string, format: OutputFormat, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Uint8Array>
  command(sql: string, params?: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * Changes existing rows and resolves when every reader sees the change. The update is either a lightweight update (the table needs block
   * numbers, and the user needs the setting enable_lightweight_update), or a mutation, which rewrites the parts.
   */
  update(update: RowUpdate): Promise<void>
  /** Returns the response text of a statement that takes no FORMAT, such as CHECK GRANT. */
  ask(sql: string): Promise<string>
  /** Returns the server version and a value that changes with the server process. Rejects when unreachable. */
  identify(): Promise<{ readonly version: string; readonly startedAt: string }>
  close(): Promise<void>
}
