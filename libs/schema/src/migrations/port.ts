import type { Placement } from '../dialect.ts'
import type { ListName } from './list.ts'

export interface ColumnStorePort {
  command(sql: string): Promise<unknown>
  query<Row>(sql: string): Promise<readonly Row[]>
  /** Returns the text of the response to a statement that accepts no FORMAT clause, such as CHECK GRANT. */
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
   * Target version of the shared list of migrations; by default the newest version. A lower target reverts migrations, and the data of
   * their tables is lost.
   */
  readonly target?: number
  /** Target version of our own list of migrations; by default the newest version. */
  readonly ownTarget?: number
  readonly onProgress?: (step: MigrationStep) => void
}
