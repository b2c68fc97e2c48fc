// The cache of query results, and the rule for retrying a failed query.
import { QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from './client.ts'

/** If the server asks for a longer wait, the app does not retry, and shows the error. */
const mostWaitMs = 10_000

/** A retry can help if no response arrived, or if the server asks for a retry soon. */
export function mayHelp(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return (error.status === 429 || error.status === 503) && (error.retryAfterMs ?? 0) <= mostWaitMs
}

export const waitMs = (error: unknown): number => (error instanceof ApiError ? error.retryAfterMs : undefined) ?? 1_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 1 && mayHelp(error),
      retryDelay: (_, error) => waitMs(error),
    },
  },
})

/**
 * Reads a query again after a write. Cancels a read that began before the write, because that read would show the old state. If the query
 * has no data yet, `invalidateQueries` alone would not replace a read in flight, but would wait for it.
 */
export async function readAfterWrite(client: QueryClient, queryKey: QueryKey): Promise<void> {
  await client.cancelQueries({ queryKey })
  await client.invalidateQueries({ queryKey })
}
