// The interface of a command. A command uses only what it receives, so it runs in the same way inside and outside an instance.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import type { Cipher } from '@svc-server/secrets'
import type { WindowTimes } from '@svc-server/where/trace'
import type { CertificateFiles } from './doctor/certificates.ts'

/** Access to the schemas of both stores. Opening the stores in this way does not migrate them. */
export interface SchemaMigrations {
  readonly columnStore: ColumnStore
  readonly placement: { readonly database: string; readonly clustered: boolean; readonly clusterName: string }
  readonly relational: {
    /**
     * Returns the migrations that have not run yet. If something prevents the migrations, rejects with an error that names the obstacle.
     */
    pending(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
    apply(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
  }
  /** Runs `work`. Until `work` ends, no service can migrate the column store. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

/** Each store opens on first use: `svc keys` must not wait for the column store. */
export interface CommandContext {
  readonly keys: () => Promise<KeyStore>
  readonly relational: () => Promise<RelationalStore>
  readonly log: () => Promise<EventLog>
  readonly columnStore: () => Promise<ColumnStore>
  readonly migrations: () => Promise<SchemaMigrations>
  /** Present only in a process that opens the stores. */
  readonly encryption?: () => Promise<Cipher>
  readonly writeMode: WriteMode
  /** Absent: the defaults. */
  readonly windowTimes?: WindowTimes
  readonly webUrl?: string
  readonly certificate?: CertificateFiles
  /** Path of the data directory. Absent if the stores are servers. */
  readonly dataDirectory?: string
  /** The operator's environment variables. Present only for a local command (`isLocal`), which always runs in the operator's process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** True if a running instance executes the command. The command must then refuse actions that are unsafe while services run. */
  readonly servicesRunning: boolean
  /** Aborts when the caller has disconnected. */
  readonly signal?: AbortSignal
  /** Writes one line to the operator's standard output. */
  readonly print: (line: string) => void
}

export interface Command {
  readonly help: string
  /** Throws UsageError for wrong arguments, and AppError for a failure. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}

/** Names the wrong and the valid arguments. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
