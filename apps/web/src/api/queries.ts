// The cache of query results, and the rule for retrying a failed query.
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'

/** A retry can help if no response arrived or the status is 503. */
const mayHelp = (error: unknown) => !(error instanceof ApiError) || error.status === 503

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 1 && mayHelp(error),
    },
  },
})
