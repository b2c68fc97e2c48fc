// The cache of what was read, and when a failed read is tried again.
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'

/** Once more, where the moment was to blame and not the request. */
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
