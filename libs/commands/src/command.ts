// What an operator's command is: pure over the ports it is given, so that it runs the same inside a running standalone and outside it.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import type { Cipher } from '@svc-server/secrets'
import type { WindowTimes } from '@svc-server/where/trace'
import type { CertificateFiles } from './doctor/certificates.ts'

/** Both stores' schemas as they are: opening changes neither. */
export interface SchemaMigrations {
  readonly columnStore: ColumnStore
  readonly placement: { readonly database: string; readonly clustered: boolean; readonly clusterName: string }
  readonly relational: {
    /** Names of what is not applied yet. Rejects with what stands in its way. */
    pending(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
    apply(choice: { readonly giveUpUnfinished?: boolean }): Promise<readonly string[]>
  }
  /** No service migrates the column store meanwhile. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
}

/** Opens a store when a command first asks for it: `svc keys` must not wait for the column store. */
export interface CommandContext {
  readonly keys: () => Promise<KeyStore>
  readonly relational: () => Promise<RelationalStore>
  readonly log: () => Promise<EventLog>
  readonly columnStore: () => Promise<ColumnStore>
  readonly migrations: () => Promise<SchemaMigrations>
  /** What secrets of users are encrypted with; only where the stores are. */
  readonly encryption?: () => Promise<Cipher>
  /** Of the services. */
  readonly writeMode: WriteMode
  /** Of the propagator; absent: its defaults. */
  readonly windowTimes?: WindowTimes
  /** Where browsers reach the web app, where that is known. */
  readonly webUrl?: string
  /** Files of the ports that clients reach, where their variables are set. */
  readonly certificate?: CertificateFiles
  /** Of the embedded stores; not on servers. */
  readonly dataDirectory?: string
  /** Variables of the operator's process, for a command that runs there. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** True inside a running instance: what must not happen under running services is refused. */
  readonly servicesRunning: boolean
  /** Aborts when whoever asked has left: what only waits then ends. */
  readonly signal?: AbortSignal
  /** Writes one line to the operator's standard output. */
  readonly print: (line: string) => void
}

/** What the file of a command gives. */
export interface Command {
  /** What `svc <name> --help` prints. */
  readonly help: string
  /** Resolves when done; throws UsageError for wrong arguments and AppError for what failed. */
  run(args: readonly string[], context: CommandContext): Promise<void>
}

/** Wrong arguments: the message says which and what would be right. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
