// The native calls of the engine's library that this package uses. Avoids the library's Session, because closing one waits for all
// operations of the process. A long query would keep all closed sessions alive.
import { createRequire } from 'node:module'

type Connection = { readonly connection: unique symbol }

export interface NativeResult {
  readonly bytes: Uint8Array
  readonly elapsed: number
  /** Number of rows read; for INSERT … FROM INFILE, the number of rows in the file. */
  readonly rowsRead: number
  readonly bytesRead: number
}

/**
 * Internal functions of the package `chdb`. The package's version is pinned to 3.4.0, because its internal functions are not a public
 * interface.
 */
export interface Binding {
  /** The first connection of a process opens the data directory with these arguments. Later connections share the engine of the first. */
  CreateConnection(directory: string, args?: readonly string[]): Connection
  /** Runs a statement on the thread pool. A connection can run only one statement at a time, and must not be closed while it runs one. */
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<NativeResult>
  CloseConnection(connection: Connection): void
}

/** Throws if the library does not support this platform. */
export const loadBinding = (): Binding => {
  const require = createRequire(import.meta.url)
  const loader = createRequire(require.resolve('chdb'))('./dist/loader.js') as { loadNative(): Binding }
  return loader.loadNative()
}
