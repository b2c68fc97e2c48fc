// The four native calls of the engine's library that this package needs. The library's own Session is not
// used: closing one waits for every operation of the process, so under load a long query would keep each
// closed session alive.
import { createRequire } from 'node:module'

type Connection = { readonly connection: unique symbol }

export interface NativeResult {
  readonly bytes: Uint8Array
  readonly elapsed: number
  /** Rows read; for INSERT … FROM INFILE the rows of the file. */
  readonly rowsRead: number
  readonly bytesRead: number
}

/** Version 3.4.0 of the `chdb` package, pinned: this is not its public surface. */
export interface Binding {
  /**
   * The first connection of a process opens the data directory, with arguments; later ones share its engine.
   */
  CreateConnection(directory: string, args?: readonly string[]): Connection
  /**
   * Runs on the thread pool. One statement of a connection at a time; never close a connection while one
   * runs.
   */
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<NativeResult>
  CloseConnection(connection: Connection): void
}

/** Throws when there is no engine for this platform. */
export const loadBinding = (): Binding => {
  const require = createRequire(import.meta.url)
  const loader = createRequire(require.resolve('chdb'))('./dist/loader.js') as { loadNative(): Binding }
  return loader.loadNative()
}
