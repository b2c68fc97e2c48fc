import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { expect, test } from 'vitest'
import { type CutoffOptions, findCutoff } from '../src/cutoff.ts'
import { createPause, type PauseOptions } from '../src/pause.ts'
import { createSleep } from '../src/sleep.ts'
import { createRate, headroomOf, isWithin, type Load, paced, parseWindow, reasonToWait, spaceProblem } from '../src/throttle.ts'

const at = (time: string) => Date.parse(`2026-11-22T${time}:00Z`)

test('the backfill runs only in its hours of the day, which may span midnight', () => {
  const night = parseWindow('22:00-06:00')!
  expect(['21:59', '22:00', '03:00', '05:59', '06:00'].map(time => isWithin(night, at(time)))).toEqual([false, true, true, true, false])
  const noon = parseWindow('11:30-12:30')!
  expect(['11:29', '11:30', '12:30'].map(time => isWithin(noon, at(time)))).toEqual([false, true, false])
  expect(['24:00-01:00', '1:00-2:00', '05:00-05:00', ''].map(parseWindow)).toEqual([null, null, null, null])
})

test('each chunk waits until the rows before it are within the rate', () => {
  let now = 0
  const wait = createRate(100, () => now)
  expect(wait(200)).toBe(0)
  expect(wait(100)).toBe(2_000)
  now = 10_000
  expect(wait(100)).toBe(0)
  expect(createRate(null, () => now)(1e9)).toBe(0)
  const limits = { maxRows: 100_000, maxBytes: 1 }
  expect(paced(limits, null)).toBe(limits)
  expect(paced(limits, 2_000)).toEqual({ maxRows: 10_000, maxBytes: 1 })
})

const idle: Load = { queries: 2, parts: 20, mergeShare: 0.5, memoryShare: 0.4, replicationQueue: 3, lagMs: 900 }

test('the backfill waits for the live path, merges, memory, replicas and other queries', () => {
  expect(reasonToWait(idle)).toBeNull()
  expect(reasonToWait({ ...idle, parts: 400 })?.reason).toContain('400 parts')
  expect(reasonToWait({ ...idle, queries: 60 })?.reason).toContain('60 queries')
  expect(reasonToWait({ ...idle, mergeShare: 0.95 })?.reason).toContain('95 %')
  expect(reasonToWait({ ...idle, memoryShare: 0.9 })?.reason).toContain('90 % of its memory')
  expect(reasonToWait({ ...idle, replicationQueue: 500 })?.reason).toContain('500 entries')
  expect(reasonToWait({ ...idle, lagMs: 6_500 })?.reason).toContain('6.5 s')
  const unknown = { queries: null, parts: null, mergeShare: null, memoryShare: null, replicationQueue: null, lagMs: 0 }
  expect(reasonToWait(unknown)).toBeNull()
})

test('under constant load the backfill takes a twentieth of the time, but none while a chunk could harm the column store or an operator has paused the backfill', async () => {
  let now = 0
  let load: Load = { ...idle, lagMs: 9_000 }
  let isPaused = false
  const pause = createPause({
    ...{ rowsPerSecond: null, window: null, clock: () => now, isStopping: () => false, onWait: () => {}, isPaused: async () => isPaused },
    ...{ load: async () => load, space: async () => ({ freeBytes: null, totalBytes: null }) },
    sleep: async ms => {
      now += ms
      if (now > 6_000_000) throw new Error('it waits')
    },
  })
  const waited = async () => {
    const from = now
    await pause(1)
    return now - from
  }
  expect(await waited()).toBe(10_000)
  // The first chunk took ten seconds.
  now += 10_000
  expect(await waited()).toBe(200_000)
  // The store was down for an hour.
  now += 3_600_000
  expect(await waited()).toBe(600_000)
  load = idle
  expect(await waited()).toBe(0)
  load = { ...idle, parts: 400 }
  await expect(pause(1)).rejects.toThrow('it waits')
  load = idle
  isPaused = true
  await expect(pause(1)).rejects.toThrow('it waits')
})

const GB = 1e9

test('the backfill begins only with space for all of its rows, and stops with a sentence before the disk is full', async () => {
  expect(headroomOf({ freeBytes: 400 * GB, totalBytes: 1_000 * GB, sourceBytes: 100 * GB }).state).toBe('enough')
  const small = { freeBytes: 300 * GB, totalBytes: 1_000 * GB, sourceBytes: 100 * GB }
  expect(headroomOf(small)).toMatchObject({ state: 'too small', says: expect.stringContaining('Add 100.0 GB') })
  expect(headroomOf({ ...small, sourceBytes: 0, freeBytes: 0 }).state).toBe('enough')
  expect(headroomOf({ ...small, freeBytes: null })).toMatchObject({ state: 'unknown', says: expect.stringContaining('the disk has free') })
  expect(headroomOf({ ...small, sourceBytes: null })).toMatchObject({ state: 'unknown', says: expect.stringContaining('observations are') })
  expect(spaceProblem({ ...small, freeBytes: 51 * GB })).toBeNull()
  expect(spaceProblem({ ...small, freeBytes: 49 * GB })).toContain('49.0 GB of 1000.0 GB free')
  expect(spaceProblem({ ...small, totalBytes: null })).toBeNull()
  const pause = createPause({
    ...{ rowsPerSecond: null, window: null, clock: Date.now, sleep: async () => {}, isStopping: () => false, onWait: () => {} },
    ...{ load: async () => idle, isPaused: async () => false, space: async () => ({ ...small, freeBytes: GB }) },
  })
  await expect(pause(1)).rejects.toMatchObject({ code: 'backfill_refused', message: expect.stringContaining('1.0 GB of') })
})

const batch = (writeMode: WriteMode) =>
  encodeSpanBatch({
    ...{
      projectId: 'p',
      apiKey: 'pk',
      sdkName: 'javascript',
      sdkVersion: '6.0.0',
      ingestionVersion: 4,
      receivedAtMs: 0,
      ingestId: 'i',
      writeMode,
    },
    ...{ contentEncoding: 'identity', decodedBytes: 0, spanCount: 1, payload: new Uint8Array(), traceAttributes: null },
  })

function optionsOf(
  writeMode: WriteMode,
  records: readonly (readonly [WriteMode, number])[],
  more: Partial<CutoffOptions> = {},
): CutoffOptions {
  const topic = topicNames.direct
  const list = records.map(([mode, timestampMs], offset) => ({ topic, partition: 0, offset, timestampMs, key: null, value: batch(mode) }))
  return {
    writeMode,
    clock: () => at('12:00'),
    sleep: async () => {},
    log: {
      describe: async () => [
        {
          spec: { name: topic } as never,
          partitions: [{ partition: 0, lowWatermark: 0, highWatermark: list.length, records: list.length, bytes: 1 }],
        },
      ],
      // Each read returns at most two records. A scan that stops after one read therefore misses records and fails the test.
      read: async (_, partition, from) => {
        const some = list.slice(from, from + 2)
        return { topic, partition, records: some, nextOffset: from + some.length, highWatermark: list.length }
      },
      lag: async () => [],
    },
    ...more,
  }
}

test('rows belong to the live path from the last record without dual write on', async () => {
  const mixed = optionsOf('dual', [
    ['legacy', at('08:00')],
    ['dual', at('09:00')],
    ['legacy', at('09:05')],
    ['dual', at('09:10')],
  ])
  expect(await findCutoff(mixed)).toEqual({ cutoffMs: at('09:05') + 1, dualSinceMs: at('09:00') })
  expect(await findCutoff(optionsOf('dual', [['dual', at('09:00')]]))).toEqual({ cutoffMs: at('09:00'), dualSinceMs: at('09:00') })
  expect(await findCutoff(optionsOf('events_only', []))).toEqual({ cutoffMs: at('12:00'), dualSinceMs: null })
  // Records from before `notBeforeMs` have rows only in the old tables. These records therefore do not count as dual.
  const anew = (notBeforeMs: number) => findCutoff(optionsOf('dual', [['dual', at('09:00')]], { notBeforeMs }))
  expect(await Promise.all([at('08:00'), at('10:00'), at('12:30')].map(anew))).toMatchObject(
    ['09:00', '10:00', '12:00'].map(time => ({ cutoffMs: at(time) })),
  )
})

test('of a long log only the end is read, which gives a cutoff that is later than needed, never earlier', async () => {
  const minute = 60_000
  const long = Array.from({ length: 5_000 }, (_, at) => [at < 10 ? 'legacy' : 'dual', at * minute] as const)
  const last = 4_999 * minute
  let reads = 0
  const options = optionsOf('dual', long, { clock: () => last, maxScanBytes: 1 })
  const read: CutoffOptions['log']['read'] = (...args) => {
    reads += 1
    return options.log.read(...args)
  }
  const found = await findCutoff({ ...options, log: { ...options.log, read } })
  expect(reads).toBeLessThan(200)
  expect(found.cutoffMs).toBeGreaterThan(10 * minute)
  expect(found.cutoffMs).toBeLessThan(last - 5 * minute)
  // The scan reaches the start of the log, so the cutoff is exact.
  expect(await findCutoff(optionsOf('dual', long, { clock: () => last }))).toMatchObject({ cutoffMs: 9 * minute + 1 })
  // The scan reads the last minutes of the log even beyond the byte limit.
  const dense = Array.from({ length: 3_000 }, (_, at) => [at === 0 ? 'legacy' : 'dual', last - 3_000 + at] as const)
  await expect(findCutoff(optionsOf('dual', dense, { clock: () => last, maxScanBytes: 1 }))).rejects.toMatchObject({
    code: 'backfill_refused',
  })
})

test('the cutoff is refused in legacy mode, soon after a record without dual write, and while readers are behind', async () => {
  const refused = (options: CutoffOptions, text: string) =>
    expect(findCutoff(options)).rejects.toMatchObject({ code: 'backfill_refused', message: expect.stringContaining(text) })
  await refused(optionsOf('legacy', []), 'legacy')
  await refused(optionsOf('dual', [['legacy', at('11:58')]]), 'Redeploy')
  let now = at('12:00')
  const { log } = optionsOf('dual', [['dual', at('09:00')]])
  const behind = { group: 'svc.writer', topic: topicNames.direct, partition: 0, committed: 0, lagRecords: 1 }
  const clock = () => (now += 10_000)
  const lag = async () => [0, 1].map(partition => ({ ...behind, partition, lagRecords: 3 + partition, lagMs: 5 * 3_600_000 }))
  await refused(
    optionsOf('dual', [], { clock, log: { ...log, lag } }),
    ' is not in the old tables yet: svc.writer on spans.direct (7 records).',
  )
})

test('a process that must end does not wait for log readers, load, an operator or its rate', async () => {
  const stop = new AbortController()
  const sleep = createSleep(stop.signal)
  const behind = { group: 'svc.writer', topic: topicNames.direct, partition: 0, committed: 0, lagRecords: 1, lagMs: 5 * 3_600_000 }
  const { log, ...options } = optionsOf('dual', [['dual', at('09:00')]], { sleep })
  const pause = (more: Partial<PauseOptions>) =>
    createPause({
      ...{ rowsPerSecond: null, window: null, clock: Date.now, sleep, isStopping: () => stop.signal.aborted, onWait: () => {} },
      ...{ space: async () => ({ freeBytes: null, totalBytes: null }) },
      ...{ load: async () => idle, isPaused: async () => false, ...more },
    })
  const paced = pause({ rowsPerSecond: 1 })
  const waits = [
    findCutoff({ ...options, log: { ...log, lag: async () => [behind] } }),
    pause({ isPaused: async () => true })(1),
    pause({ load: async () => ({ ...idle, parts: 100_000 }) })(1),
    paced(1_000_000).then(() => paced(1)),
    sleep(1_000_000),
  ].map(wait => expect(wait).rejects.toMatchObject({ code: 'draining' }))
  setTimeout(() => stop.abort(), 20)
  await Promise.all(waits)
  await expect(sleep(0)).rejects.toMatchObject({ code: 'draining' })
})
