// A coordinator can report an offset that is older than this process's last commit. This happens just after the coordinator's election, or
// while the coordinator lags behind a transaction. An owner that resumed at the older offset would publish records again.
import { waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { disturbedRun } from './disturbed-run.ts'
import { problemsOf } from './published.ts'
import { hexOf, type StagedRecord, startUs } from './staged.ts'
import { createWorld } from './world.ts'

const record = (trace: number): StagedRecord => ({
  projectId: 'project',
  traceId: hexOf(trace, 32),
  spans: [{ spanId: hexOf(trace, 16), startUs: startUs + trace, root: true }],
})

test.concurrent.for([
  ['nothing at all', 0],
  ['the last but one', 2],
] as const)('F47 · when the group reports %s as committed, the owner queries again and publishes nothing twice', async ([, older]) => {
  await using world = await createWorld({ partitions: 1, config: { publishBytes: 1000 } })
  const { faults, metric } = await world.start()
  let commits = 0
  faults.pickOlder = () => older
  faults.fate = () => {
    if (++commits !== 4) return 'done'
    faults.olderCommits = 3
    return 'refused'
  }
  await world.stage(Array.from({ length: 21 }, (_, index) => record(index + 1)))
  await waitFor(
    () => {
      world.advance(50)
      return commits >= 4
    },
    { what: 'a commit to be refused', everyMs: 4 },
  )
  await world.settled()
  expect(problemsOf(await world.published())).toEqual([])
  expect(await metric('svc_propagator_spans_total')).toBe(21)
  expect(faults.olderCommits).toBe(0)
})

describe.concurrent('F47 · older commits in random histories', () => {
  test.for(['a'])('%s', { timeout: 180_000 }, async (seed, { expect }) => {
    const run = { seed: `older ${seed}`, traces: 20, slots: 4, maxSpans: 7, disturbances: 0.9, only: 'older commits' as const }
    const { problems, happened } = await disturbedRun(run)
    expect(problems, happened.join(', ')).toEqual([])
    expect(happened).not.toEqual([])
  })
})
