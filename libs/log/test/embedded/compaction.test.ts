// Each test closes the log while compaction runs, so that the compaction pass ends early.
import { expect, onTestFinished, test } from 'vitest'
import { createAppendPath } from '../../src/embedded/appends.ts'
import { compactPartition } from '../../src/embedded/compaction.ts'
import { fetchBatch } from '../../src/embedded/fetch.ts'
import { loadState } from '../../src/embedded/state.ts'
import { openStore, type Store } from '../../src/embedded/store.ts'
import { createWriter } from '../../src/embedded/writer.ts'
import { keyed, text, topic } from '../conformance/harness.ts'
import { temporaryDirectory } from './embedded-log.ts'

const hour = 3_600_000

async function openCompaction() {
  let nowMs = 1_700_000_000_000
  const clock = () => nowMs
  const store = openStore(temporaryDirectory())
  const state = await loadState(store, [topic({ cleanup: 'compact' })], { undeclared: () => {}, repaired: () => {} })
  const writer = createWriter({ store, state, clock, maxQueuedBytes: 1e9, ackTimeoutMs: 4000, onWriteError: () => {} })
  const appends = createAppendPath({ store, topics: state.topics, clock })
  const partition = state.topics.get('spans')!.partitions[0]!
  onTestFinished(async () => {
    await writer.drain()
    await store.close()
  })

  return {
    wait: (ms: number) => void (nowMs += ms),
    append: (key: string, value: string | null) => {
      const prepared = appends.prepare('spans', [keyed(key, value)])
      return writer.submit({ bytes: prepared.bytes, bounded: true, apply: draft => appends.place(draft, prepared) })
    },
    /**
     * Aborts the pass after `reads` batches. A pass reads all batches twice. The pass first collects the keys of the batches, and then
     * rewrites the batches.
     */
    compact: (reads = Number.POSITIVE_INFINITY) => {
      const closing = new AbortController()
      let left = reads
      const batch: Store['batch'] = (id, offset) => {
        if (--left === 0) closing.abort()
        return store.batch(id, offset)
      }
      const deps = { store: { ...store, batch }, state, writer, clock, tombstoneRetentionMs: 24 * hour, signal: closing.signal }
      return compactPartition(deps, partition)
    },
    kept: async () => (await fetchBatch(store, partition, 0, 1 << 20)).records.map(({ key, value }) => [text(key), text(value)]),
  }
}

test.each([
  ['while its keys are read', 3],
  ['while it is rewritten', 4],
])('a pass aborted %s runs again, and no deleted key reappears after its tombstone is removed', async (_, reads) => {
  const { append, compact, kept, wait } = await openCompaction()
  await append('other', '1')
  await append('victim', 'secret')
  await append('victim', null)
  expect(await compact(reads)).toBe(false)
  expect(await kept()).toContainEqual(['victim', 'secret'])

  wait(25 * hour)
  for (const value of ['2', '3', '4', '5']) await append('other', value)
  await compact()
  expect(await kept()).toEqual([['other', '5']])
})
