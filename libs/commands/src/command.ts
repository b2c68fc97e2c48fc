// The interface of a command for operators. A command uses only the interfaces that it receives, so it runs in the same way inside and
// outside a running standalone.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import type { Cipher } from '@svc-server/secrets'
import type { WindowTimes } from '@svc-server/where/trace'
import type { CertificateFiles } from './doctor/certificates.ts'

/**
 * The schemas of the column store and of the relational store. A command that shows or migrates the schemas opens the stores without
 * migrating them first.
 */
export interface SchemaMigrations {
  readonly columnStore: ColumnStore
  readonly placement: { readonly database: string; readonly clustered: boolean; readonly clusterName: string }
  readonly relational: {
    /** Returns the names of the pending migrations. Rejects with the reason if the migrations cannot run. */
    pending(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
    apply(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
  }
  /** Runs `work`. Keeps services from migrating the column store until `work` is done. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

/** A store opens when a command first uses it: `svc keys`, for example, must not wait for the column store. */
export interface CommandContext {
  readonly keys: () => Promise<KeyStore>
  readonly relational: () => Promise<RelationalStore>
  readonly log: () => Promise<EventLog>
  readonly columnStore: () => Promise<ColumnStore>
  readonly migrations: () => Promise<SchemaMigrations>
  /** Encrypts users' secrets; present only in a process that opens the stores. */
  readonly encryption?: () => Promise<Cipher>
  /** Write mode of the services. */
  readonly writeMode: WriteMode
  /** Window times of the propagator. Without these times, the defaults apply. */
  readonly windowTimes?: WindowTimes
  /** URL at which browsers reach the web app, if known. */
  readonly webUrl?: string
  /** Certificate files of the client ports, if configured. */
  readonly certificate?: CertificateFiles
  /** Data directory of the embedded stores; absent if the stores are servers. */
  readonly dataDirectory?: string
  /** Environment of the operator's process; present only for a command that runs in that process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** True if the command runs inside a running instance, and must refuse actions that are unsafe while services run. */
  readonly servicesRunning: boolean
  /** Aborts when the caller has disconnected. A command that is only waiting ends when the caller disconnects. */
  readonly signal?: AbortSignal
  /** Writes one line to the standard output of the operator's process. */
  readonly print: (line: string) => void
}

/** The interface of a file that contains a command. */
export interface Command {
  /** The output of `svc <name> --help`. */
  readonly help: string
  /** Resolves when the command is done. Throws UsageError for wrong arguments and AppError for a failure. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}

/** The error for wrong arguments of a command. The error's message names the wrong and the valid arguments, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
