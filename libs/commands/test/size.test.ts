import { writeModes } from '@svc-server/modes/write-mode'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLocal, runLocalCommand } from '../src/run.ts'
import { bendsOf } from '../src/size/bends.ts'
import { type Asked, type Plan, planFor } from '../src/size/plan.ts'

async function size(...argv: readonly string[]) {
  const out: string[] = []
  const error: string[] = []
  const code = await runLocalCommand(
    ['size', ...argv],
    line => out.push(line),
    line => error.push(line),
  )
  return { code, out: out.join('\n'), error: error.join('\n') }
}

const asked: Asked = { spansPerSecond: 1_000, retentionDays: 30, writeMode: 'events_only', stagedShare: 0, copies: 2, coresPerNode: 8 }

test('opens no store, and prints partitions, replicas, inserts, log, disk and nodes', async () => {
  expect(isLocal(['size'])).toBe(true)
  const { code, out } = await size('--spans-per-second', '1000')
  expect(code).toBe(0)
  for (const word of [
    'gateway',
    'writer',
    'SVC_TOPIC_PARTITIONS_DIRECT=8',
    'parts a minute',
    'per million spans',
    'nodes',
    'The plan stays within the limits',
  ])
    expect(out).toContain(word)
})

test('uses the singular for one span, day, copy or core', async () => {
  const { out } = await size('--spans-per-second', '1', '--retention-days', '1', '--copies', '1', '--cores-per-node', '1')
  expect(out).toContain('1 span a second, events_only, 1 day, 1 copy\n')
  expect(out).toMatch(/for 1 day, one copy/)
  expect(out).toMatch(/ of 1 core: /)
})

test('names each limit of the tested design that a million spans per second exceed', async () => {
  const { out } = await size('--spans-per-second', '1000000', '--json')
  const { plan, bends } = JSON.parse(out) as { plan: Plan; bends: readonly { where: string }[] }
  expect(plan.partitions.direct).toBeGreaterThanOrEqual(200)
  expect(bends.map(({ where }) => where)).toEqual(expect.arrayContaining(['inserts', 'disk']))
})

test('the price covers all nodes', async () => {
  const { out } = await size('--spans-per-second', '1000', '--machine-price', '100', '--json')
  const { plan } = JSON.parse(out) as { plan: Plan }
  expect(plan.price).toBe(100 * plan.nodes.all)
})

test.each([
  [[], '--spans-per-second is missing'],
  [['--spans-per-second', 'many'], '"many" is not a number from 1 to 10000000'],
  [['--spans-per-second', '0'], '"0" is not a number'],
  [['--spans-per-second', '1e3'], '"1e3" is not a number'],
  [['--spans-per-second', '1000', '--mode', 'both'], '"both" is none of legacy, dual, events_only'],
  [['--spans-per-second', '1000', '--copies', '1.5'], '"1.5" is not a whole number'],
  [['--spans-per-second', '1000', '--staged-share', '2'], '"2" is not a number from 0 to 1'],
  [['--spans-per-second', '1000', '--mode', 'legacy', '--staged-share', '0.5'], 'nothing is staged in legacy'],
  [['--spans-per-second', '1000', '--retention'], "Unknown option '--retention'"],
])('rejects %j with a message', async (argv, says) => {
  expect(await size(...argv)).toMatchObject({ code: 2, out: '', error: expect.stringContaining(says) })
})

const numbersOf = (value: unknown): readonly number[] =>
  typeof value === 'number' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : []

test('every figure is finite, and a higher rate of spans never lowers a figure', () => {
  const arbitrary = fc.record({
    spansPerSecond: fc.double({ min: 1, max: 5_000_000, noNaN: true }),
    bytesPerSpan: fc.option(fc.double({ min: 1, max: 1e6, noNaN: true }), { nil: undefined }),
    retentionDays: fc.integer({ min: 1, max: 3_650 }),
    writeMode: fc.constantFrom(...writeModes),
    stagedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    copies: fc.integer({ min: 1, max: 5 }),
    coresPerNode: fc.integer({ min: 1, max: 128 }),
  })
  fc.assert(
    fc.property(arbitrary, fc.double({ min: 1, max: 3, noNaN: true }), (one, factor) => {
      const [less, more] = [planFor(one), planFor({ ...one, spansPerSecond: one.spansPerSecond * factor })]
      expect(numbersOf(less).every(value => Number.isFinite(value) && value >= 0)).toBe(true)
      for (const part of ['cores', 'replicas', 'partitions', 'log', 'store', 'nodes'] as const)
        for (const [at, value] of numbersOf(more[part]).entries())
          expect(value).toBeGreaterThanOrEqual(numbersOf(less[part])[at]! * 0.999999)
    }),
    { numRuns: 200 },
  )
})

test('never plans more writers or propagators than partitions', () => {
  for (const spansPerSecond of [1, 1_000, 50_000, 1_000_000])
    for (const stagedShare of [0, 0.5, 1]) {
      const { replicas, partitions } = planFor({ ...asked, spansPerSecond, stagedShare })
      expect(replicas.writer).toBeLessThanOrEqual(partitions.direct + partitions.staging)
      expect(replicas.propagator).toBeLessThanOrEqual(partitions.staging)
    }
})

test('a small installation exceeds no limit of the tested design', () => {
  for (const spansPerSecond of [1, 100, 1_000]) expect(bendsOf(planFor({ ...asked, spansPerSecond }))).toEqual([])
})
