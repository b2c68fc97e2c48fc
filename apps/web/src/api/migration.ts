// Progress of copying the data of v3.
import { queryOptions } from '@tanstack/react-query'
import { call, type ResultOf } from './client.ts'

export type MigrationStatus = ResultOf<'webSystem.migration'>

/** Interval of reads. A copy that has not begun yet is read less often, and one that has ended is not read again. */
const pollMs = { waiting: 60_000, running: 15_000, interrupted: 15_000, failed: 30_000, none: false, finished: false } as const

export const migrationQuery = queryOptions({
  queryKey: ['system', 'migration'],
  queryFn: ({ signal }) => call('webSystem.migration', { signal }),
  staleTime: 15_000,
  refetchInterval: ({ state: { data } }) => data !== undefined && pollMs[data.state],
})
