import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'

vi.stubGlobal('document', { baseURI: 'http://localhost/' })
const { ApiError } = await import('./client.ts')
const { mayHelp, readAfterWrite, waitMs } = await import('./queries.ts')

test.each([
  ['no response', new TypeError('Failed to fetch'), true, 1_000],
  ['503', new ApiError(503, 'draining', undefined, 2_000), true, 2_000],
  ['429 for a moment', new ApiError(429, 'busy', undefined, 3_000), true, 3_000],
  ['429 for an hour', new ApiError(429, 'busy', undefined, 3_600_000), false, 3_600_000],
  ['404', new ApiError(404, 'not found', undefined), false, 1_000],
])('%s', (_, error, retries, ms) => {
  expect([mayHelp(error), waitMs(error)]).toEqual([retries, ms])
})

test.each(['first', 'second'])('a write replaces a %s read that began before it', async which => {
  const client = new QueryClient()
  const queryKey = ['views']
  const reads: ((names: readonly string[]) => void)[] = []
  const observer = new QueryObserver<readonly string[]>(client, { queryKey, queryFn: () => new Promise(resolve => reads.push(resolve)) })
  const stop = observer.subscribe(() => undefined)
  if (which === 'second') {
    reads[0]!([])
    await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true)
    void observer.refetch()
  }
  const written = reads.length
  const isRead = readAfterWrite(client, queryKey)
  await expect.poll(() => reads.length).toBeGreaterThan(written)
  reads[written - 1]!([])
  reads[written]!(['saved'])
  await isRead
  expect(observer.getCurrentResult().data).toEqual(['saved'])
  stop()
})
