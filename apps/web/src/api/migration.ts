// Progress of copying v3's data to the events tables.
import { queryOptions } from '@tanstack/react-query'
import { call, type ResultOf } from './client.ts'

export type MigrationStatus = ResultOf<'webSystem.migration'>

/**
 * For each state of the migration, the milliseconds between two reads of the progress. In a state with `false`, the progress is not read
 * again.
 */
const pollMs = { waiting: 60_000, running: 15_000, interrupted: 15_000, failed: 30_000, none: false, finished: false } as const

export const migrationQuery = queryOptions({
  queryKey: ['system', 'migration'],
  queryFn: ({ signal }) => call('webSystem.migration', { signal }),
  staleTime: 15_000,
  refetchInterval: ({ state: { data } }) => data !== undefined && pollMs[data.state],
})
