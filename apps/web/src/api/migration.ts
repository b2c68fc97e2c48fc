// Progress of copying the data of v3.
import { queryOptions } from '@tanstack/react-query'
import { call, type ResultOf } from './client.ts'

export type MigrationStatus = ResultOf<'webSystem.migration'>

/** A new installation also runs these steps, although it has no data to copy. */
export const isGoingOn = ({ foundNothing, steps }: MigrationStatus): boolean =>
  !foundNothing &&
  steps.some(({ status, totalRows }) => status === 'failed' || (totalRows > 0 && (status === 'running' || status === 'interrupted')))

export const migrationQuery = queryOptions({
  queryKey: ['system', 'migration'],
  queryFn: ({ signal }) => call('webSystem.migration', { signal }),
  staleTime: 30_000,
  refetchInterval: ({ state }) => (state.data !== undefined && isGoingOn(state.data) ? 30_000 : false),
})
