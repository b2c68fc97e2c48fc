// What migrations need of a column store, and what they say while they run.
import type { Placement } from '../dialect.ts'

/** The part of a column store client that migrations need. */
export interface ColumnStorePort {
  command(sql: string): Promise<unknown>
  query<Row>(sql: string): Promise<readonly Row[]>
}

export interface MigrationStep {
  readonly version: number
  readonly name: string
  readonly direction: 'up' | 'down'
}

export interface MigrateOptions extends Placement {
  /** Version to end at; default the newest. Below the current one it reverts, and the data of reverted tables is lost. */
  readonly target?: number
  readonly onProgress?: (step: MigrationStep) => void
}
