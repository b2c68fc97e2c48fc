// The native calls that this package uses. The library's Session is not used, because closing a session waits for all operations of the
// process.
import { createRequire } from 'node:module'

type Connection = { readonly connection: unique symbol }

export interface NativeResult {
  readonly bytes: Uint8Array
  readonly elapsed: number
  /** For INSERT … FROM INFILE, this is the number of rows in the file. */
  readonly rowsRead: number
  readonly bytesRead: number
}

/** Internal functions of the package `chdb`, which is therefore pinned to 3.4.0. */
export interface Binding {
  /** The first connection of a process opens the data directory. Later connections share the first connection's engine. */
  CreateConnection(directory: string, args?: readonly string[]): Connection
  /** Runs a statement on the thread pool. A connection runs one statement at a time, and must not be closed meanwhile. */
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<NativeResult>
  CloseConnection(connection: Connection): void
}

/** Throws if the library does not support this platform. */
export const loadBinding = (): Binding => {
  const require = createRequire(import.meta.url)
  const loader = createRequire(require.resolve('chdb'))('./dist/loader.js') as { loadNative(): Binding }
  return loader.loadNative()
}
