// The column store interface that migrations need, and their progress events.
import type { Placement } from '../dialect.ts'
import type { ListName } from './list.ts'

/** The part of a column store client that migrations need. */
export interface ColumnStorePort {
  command(sql: string): Promise<unknown>
  query<Row>(sql: string): Promise<readonly Row[]>
  /** Returns the response text of a statement that takes no FORMAT. */
  ask(sql: string): Promise<string>
}

export interface MigrationStep {
  readonly list: ListName
  readonly version: number
  readonly name: string
  readonly direction: 'up' | 'down'
}

export interface MigrateOptions extends Placement {
  /**
   * Target version of the shared list, by default the newest. A lower target reverts migrations and loses the data of
   * their tables.
   */
  readonly target?: number
  /** Target version of our own list, by default the newest. */
  readonly ownTarget?: number
  readonly onProgress?: (step: MigrationStep) => void
}
