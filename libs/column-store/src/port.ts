// The column store as services see it: ClickHouse over HTTP, a server or the embedded engine, told apart by URL only.

export interface ColumnStoreOptions {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly database: string
  readonly requestTimeoutMs: number
  /** Requests at the same time; further ones wait. 10 unless told. */
  readonly maxOpenConnections?: number
  /** The tables are replicated: one request may be answered by another server than the one before. */
  readonly replicated?: boolean
  /** How `update` works; default a mutation. */
  readonly lightweightUpdates?: boolean
}

export interface NativeInsert {
  readonly table: string
  /** Columns of the block, in the block's order. */
  readonly columns: readonly string[]
  /** One Native block as consecutive parts; never concatenated. */
  readonly body: readonly Uint8Array[]
  /** `insert_deduplication_token`. Its content is ignored by the engine: it must name a hash of the body (architecture §7). */
  readonly token: string
  /** Added to the pinned settings of inserts. */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface RowUpdate {
  readonly table: string
  /** `bookmarked = {value:Bool}`: assignments, with parameters in the engine's form. */
  readonly set: string
  readonly where: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface ReadRequest {
  /** Cancels the query in the store, too. The promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Limits of this query, `log_comment` … */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** `TSVRaw`: one text a row, unescaped. `JSONCompactColumns`: an array of arrays, one for each column. */
export type OutputFormat = 'TSVRaw' | 'JSONCompactColumns' | 'CSV' | 'CSVWithNames' | 'Parquet'

export interface ColumnStore {
  readonly database: string
  /** One request may be answered by another server than the one before, and each server is as far as it is. */
  readonly replicated: boolean
  /** One block, one attempt. Rejects with a column_store_* AppError; the outcome is in doubt unless its class is fatal. */
  insert(request: NativeInsert): Promise<void>
  /** 64-bit integers come back as strings. Parameters may be as long as statements. */
  query<Row>(sql: string, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Row[]>
  /** The whole response in a format of the column store's own. What it is bounded by stands in the statement. */
  queryBytes(sql: string, format: OutputFormat, params?: Readonly<Record<string, unknown>>, request?: ReadRequest): Promise<Uint8Array>
  command(sql: string, params?: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * Changes rows that are there and resolves when every reader sees it: as a lightweight update (the table needs block numbers, the user the setting
   * enable_lightweight_update), or as a mutation, which writes the parts anew.
   */
  update(update: RowUpdate): Promise<void>
  /** The answer's text to a statement that takes no FORMAT, such as CHECK GRANT. */
  ask(sql: string): Promise<string>
  /** Server version and a value that changes when the server process is another one. Rejects when unreachable. */
  identify(): Promise<{ readonly version: string; readonly startedAt: string }>
  close(): Promise<void>
}
