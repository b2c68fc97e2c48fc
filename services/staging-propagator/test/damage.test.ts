// Tests F45 for staged spans. A batch of spans.staging is missing on the disk.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { topicNames } from '@svc-server/modes/names'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { hexOf, type StagedRecord, startUs } from './staged.ts'
import { createWorld } from './world.ts'

const record = (trace: number): StagedRecord => ({
  projectId: 'project',
  traceId: hexOf(trace, 32),
  spans: [{ spanId: hexOf(trace, 16), startUs, root: true }],
})

test('F45 · a damaged partition halts and reports it; after a skip the other spans are published, and no ledger record covers the lost ones', async () => {
  await using world = await createWorld({ partitions: 1, config: { haltedPauseMs: 20 } })
  for (const trace of [1, 2, 3]) await world.stage([record(trace)])
  await world.stop()
  const child = join(import.meta.dirname, '../../../libs/log/test/embedded/damaging-child.ts')
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', child, world.logDirectory, topicNames.staging, '0', '1'])
  const { health, bugs } = await world.start()
  const reason = async () => JSON.stringify(await health.evaluate('progress'))
  await waitFor(async () => (await reason()).includes('svc log skip spans.staging 0 --to 2'), { what: 'the halt' })
  await world.log.skip({ topic: topicNames.staging, partition: 0 }, 2, { confirmed: true })
  await world.settled()
  const { spans, ledger } = await world.published()
  expect(spans.map(({ id }) => id.split('@')[1])).toEqual(['0/0', '0/2'])
  expect(ledger.map(({ first, last }) => [first, last])).toEqual([
    [0, 0],
    [2, 2],
  ])
  expect((await health.evaluate('progress')).status).toBe(200)
  expect(bugs).toEqual([])
})
