// The interface of an operator's command. A command uses only the ports that it receives, so that the command runs identically inside and
// outside a running standalone.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import type { Cipher } from '@svc-server/secrets'
import type { WindowTimes } from '@svc-server/where/trace'
import type { CertificateFiles } from './doctor/certificates.ts'

/** The schemas of the column store and the relational store. Opening them does not migrate either store. */
export interface SchemaMigrations {
  readonly columnStore: ColumnStore
  readonly placement: { readonly database: string; readonly clustered: boolean; readonly clusterName: string }
  readonly relational: {
    /** Returns the names of the pending migrations. Rejects with the obstacle if the migrations cannot run. */
    pending(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
    apply(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
  }
  /** Runs the work and prevents services from migrating the column store until it is done. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

/** A store opens only when a command first uses it, because `svc keys` must not wait for the column store. */
export interface CommandContext {
  readonly keys: () => Promise<KeyStore>
  readonly relational: () => Promise<RelationalStore>
  readonly log: () => Promise<EventLog>
  readonly columnStore: () => Promise<ColumnStore>
  readonly migrations: () => Promise<SchemaMigrations>
  /** Cipher for users' secrets; present only in a process that opens the stores. */
  readonly encryption?: () => Promise<Cipher>
  /** Write mode of the services. */
  readonly writeMode: WriteMode
  /** Window times of the propagator. If absent, the defaults apply. */
  readonly windowTimes?: WindowTimes
  /** URL at which browsers reach the web app, if known. */
  readonly webUrl?: string
  /** Certificate files of the client ports, if configured. */
  readonly certificate?: CertificateFiles
  /** Data directory of the embedded stores; absent on servers. */
  readonly dataDirectory?: string
  /** Environment of the operator's process; present only for a command that runs in that process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** True inside a running instance. Commands then refuse actions that are unsafe while services run. */
  readonly servicesRunning: boolean
  /** Aborted when the caller has disconnected. A command that is only waiting then ends. */
  readonly signal?: AbortSignal
  /** Writes one line to the operator's standard output. */
  readonly print: (line: string) => void
}

/** The interface of a command file. */
export interface Command {
  /** Output of `svc <name> --help`. */
  readonly help: string
  /** Resolves when the command is done. Throws UsageError for wrong arguments and AppError for a failure. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}

/** The arguments of a command are wrong. The message names the wrong and the valid arguments, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
