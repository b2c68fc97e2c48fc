// What migrations need of a column store, and what they say while they run.
import type { Placement } from '../dialect.ts'
import type { ListName } from './list.ts'

/** The part of a column store client that migrations need. */
export interface ColumnStorePort {
  command(sql: string): Promise<unknown>
  query<Row>(sql: string): Promise<readonly Row[]>
  /** The answer's text to a statement that takes no FORMAT. */
  ask(sql: string): Promise<string>
}

export interface MigrationStep {
  readonly list: ListName
  readonly version: number
  readonly name: string
  readonly direction: 'up' | 'down'
}

export interface MigrateOptions extends Placement {
  /** Version of the shared list to end at; default the newest. Below the current one it reverts, and the data of reverted tables is lost. */
  readonly target?: number
  /** The same of the list of our own; default its newest. */
  readonly ownTarget?: number
  readonly onProgress?: (step: MigrationStep) => void
}
