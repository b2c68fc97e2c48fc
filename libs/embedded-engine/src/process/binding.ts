// The four native calls of the engine's library that this package needs. The library's own Session is not used:
// closing one waits for every operation of the process, so under load a long query would keep each closed session
// alive.
import { createRequire } from 'node:module'

type Connection = { readonly connection: unique symbol }

export interface NativeResult {
  readonly bytes: Uint8Array
  readonly elapsed: number
  /** Rows read; for INSERT … FROM INFILE the rows of the file. */
  readonly rowsRead: number
  readonly bytesRead: number
}

/** Version 3.4.0 of the `chdb` package, pinned, because this is not its public interface. */
export interface Binding {
  /** The first connection of a process opens the data directory with arguments. Later ones share its engine. */
  CreateConnection(directory: string, args?: readonly string[]): Connection
  /** Runs on the thread pool. A connection runs one statement at a time and must not be closed while one runs. */
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<NativeResult>
  CloseConnection(connection: Connection): void
}

/** Throws when no engine exists for this platform. */
export const loadBinding = (): Binding => {
  const require = createRequire(import.meta.url)
  const loader = createRequire(require.resolve('chdb'))('./dist/loader.js') as { loadNative(): Binding }
  return loader.loadNative()
}
