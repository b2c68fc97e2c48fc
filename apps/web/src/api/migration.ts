// Progress of copying the data of v3.
import { queryOptions } from '@tanstack/react-query'
import { call, type ResultOf } from './client.ts'

export type MigrationStatus = ResultOf<'webSystem.migration'>

export const isGoingOn = ({ foundNothing, steps }: MigrationStatus): boolean =>
  !foundNothing && steps.some(({ status }) => status === 'running' || status === 'interrupted' || status === 'failed')

export const migrationQuery = queryOptions({
  queryKey: ['system', 'migration'],
  queryFn: ({ signal }) => call('webSystem.migration', { signal }),
  staleTime: 30_000,
  refetchInterval: ({ state }) => (state.data !== undefined && isGoingOn(state.data) ? 30_000 : false),
})
