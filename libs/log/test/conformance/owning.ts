import { setTimeout as sleep } from 'node:timers/promises'
import { inNightly } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import type { AssignedPartition, BatchOutcome, EventLog, OwnedPartition, OwnOptions } from '../../src/port.ts'
import { readWithin } from '../../src/read-range.ts'
import type { LogAdapter } from './adapter.ts'
import { collect, done, gate, keyless, readAll, topic, useLogs, values, waitFor } from './harness.ts'

const topics = [topic({ partitions: 2 }), topic({ name: 'filled' })]

async function own(log: EventLog, work: OwnOptions['work'], options: Partial<OwnOptions> = {}) {
  const fatal: unknown[] = []
  const assignments: (readonly AssignedPartition[])[] = []
  const onAssigned = async (partitions: readonly AssignedPartition[]) => void assignments.push(partitions)
  const onFatal = (error: unknown) => void fatal.push(error)
  const owner = await log.own({ group: 'group', topics: ['spans'], onAssigned, onFatal, ...options, work })
  return { owner, fatal, assignments }
}

/** Reads the records from the committed offset on. Appends these records to the topic `filled` and commits, in one transaction. */
const copier =
  (log: EventLog, most = Number.POSITIVE_INFINITY) =>
  async ({ topic: name, partition, committed, commitWith }: OwnedPartition): Promise<BatchOutcome> => {
    const batch = await readWithin(log, { topic: name, partition, from: committed?.offset ?? 0, until: 0 }, 1 << 20)
    const records = batch.records.slice(0, most)
    const next = records.length < batch.records.length ? records.at(-1)!.offset + 1 : batch.nextOffset
    await commitWith(next, `up to ${next}`, new Map([['filled', records.map(({ value }) => ({ key: null, value }))]]))
    return done
  }
const committedOffsets = async (log: EventLog) =>
  [...(await log.committed('group', 'spans'))].sort(([a], [b]) => a - b).map(([, { offset }]) => offset)
const copied = async (log: EventLog) => values(await readAll(log, 'filled', 0)).sort()

export const owning = (adapter: LogAdapter) =>
  describe(`event log, owning: ${adapter.name}`, () => {
    const fixture = useLogs(adapter)

    test('an owner is called while the group is behind, not called while the group is up to date, and called again after an append', async () => {
      const { log } = await fixture.log(topics)
      let turns = 0
      const copy = copier(log)
      const { owner, fatal, assignments } = await own(log, async owned => {
        turns++
        return copy(owned)
      })
      await waitFor(() => expect(assignments).toHaveLength(1))
      expect(assignments[0]).toMatchObject([
        { partition: 0, lowWatermark: 0, highWatermark: 0 },
        { partition: 1, lowWatermark: 0, highWatermark: 0 },
      ])
      await sleep(700)
      expect(turns).toBe(0)
      await log.append('spans', [keyless('a', 0), keyless('b', 1)])
      await waitFor(async () => expect(await copied(log)).toEqual(['a', 'b']))
      await log.append('spans', [keyless('c', 1)])
      await waitFor(async () => expect(await copied(log)).toEqual(['a', 'b', 'c']))
      await waitFor(async () => expect(await committedOffsets(log)).toEqual([1, 2]))
      await owner.stop()
      const before = turns
      await log.append('spans', [keyless('d', 0)])
      await sleep(700)
      expect([turns, fatal]).toEqual([before, []])
    })

    test('an owner begins at the position of the group, with the metadata of the commit', async () => {
      const { log, store } = await fixture.log(topics)
      await log.append('spans', [keyless('a', 0), keyless('b', 0)])
      const first = await own(log, async ({ commit }) => {
        await commit(1, 'half')
        return { kind: 'pause', afterMs: 600_000 }
      })
      await waitFor(async () => expect(await committedOffsets(log)).toEqual([1]))
      await first.owner.stop()
      const again = await fixture.reopen(log, store, topics)
      const found: unknown[] = []
      const second = await own(again, async owned => {
        found.push(owned.committed)
        await owned.commit(2, 'whole')
        found.push(owned.committed)
        return done
      })
      await waitFor(() =>
        expect(found).toEqual([
          { offset: 1, metadata: 'half' },
          { offset: 2, metadata: 'whole' },
        ]),
      )
      expect(second.assignments[0]![0]).toMatchObject({ committed: { offset: 1, metadata: 'half' }, highWatermark: 2 })
      await second.owner.stop()
    })

    test('work on one partition never overlaps and does not delay the other partition', async () => {
      const { log } = await fixture.log(topics)
      await log.append(
        'spans',
        [...'abcdef'].map((value, index) => keyless(value, index % 2)),
      )
      const held = gate()
      const running = [0, 0]
      let overlaps = 0
      const copy = copier(log, 1)
      const { owner } = await own(log, async owned => {
        if (++running[owned.partition]! > 1) overlaps++
        if (owned.partition === 0) await held.opened
        const outcome = await copy(owned)
        running[owned.partition]!--
        return outcome
      })
      await waitFor(async () => expect(await copied(log)).toEqual(['b', 'd', 'f']))
      held.open()
      await waitFor(async () => expect(await copied(log)).toEqual([...'abcdef']))
      expect(overlaps).toBe(0)
      await owner.stop()
    })

    test('work that fails temporarily is retried, and a refused commit writes nothing', async () => {
      const { log } = await fixture.log([topics[0]!, topic({ name: 'filled', maxRecordBytes: 10 })])
      await log.append('spans', [keyless('a', 0)])
      const refused: unknown[] = []
      const copy = copier(log)
      const { owner, fatal } = await own(log, async owned => {
        const tooLarge = new Map([['filled', [keyless('ok'), keyless('x'.repeat(11))]]])
        if (refused.length === 0) await owned.commitWith(1, 'no', tooLarge).catch(error => refused.push(error))
        if (refused.length === 1) {
          refused.push(null)
          await readWithin(log, { topic: 'spans', partition: 1, from: 0, until: 1 }, 1)
        }
        return copy(owned)
      })
      await waitFor(async () => expect(await copied(log)).toEqual(['a']))
      expect(refused).toMatchObject([{ code: 'record_too_large' }, null])
      expect(fatal).toEqual([])
      await owner.stop()
    })

    test('partitions that all pause for longer than a session stay with their owner, which continues from its commits', async () => {
      const { log } = await fixture.log(topics)
      await log.append('spans', [keyless('a', 0), keyless('b', 1)])
      const afterMs = 200 + 1.3 * adapter.sessionMs
      const paused = new Set<number>()
      const copy = copier(log)
      const { owner, fatal, assignments } = await own(log, async owned => {
        if (paused.has(owned.partition)) return copy(owned)
        paused.add(owned.partition)
        await owned.commit(0, 'paused')
        return { kind: 'pause', afterMs }
      })
      await waitFor(() => expect(paused.size).toBe(2))
      const pausedAt = performance.now()
      await waitFor(async () => expect(await copied(log)).toEqual(['a', 'b']))
      expect(performance.now() - pausedAt).toBeGreaterThan(afterMs - 200)
      expect([assignments.length, fatal]).toEqual([1, []])
      await owner.stop()
    })

    inNightly(() =>
      test('partitions that all pause for longer than a session stay with their consumer, too', async () => {
        const { log } = await fixture.log(topics)
        await log.append('spans', [keyless('a', 0), keyless('b', 1)])
        const paused = new Set<number>()
        let assignments = 0
        const got = await collect(
          log,
          {
            topics: ['spans'],
            onAssigned: async () => {
              assignments++
              return []
            },
          },
          async ({ partition, nextOffset }, context) => {
            if (!paused.has(partition)) {
              paused.add(partition)
              return { kind: 'pause', afterMs: 200 + 1.3 * adapter.sessionMs }
            }
            await context.commit(nextOffset, '')
            return done
          },
        )
        await waitFor(async () => expect(await committedOffsets(log)).toEqual([1, 1]))
        expect([assignments, got.fatal]).toEqual([1, []])
        await got.consumer.stop()
      }),
    )

    test('F19 · when another member joins during work, the signal aborts, and the commits of both members are on the log once', async () => {
      const { log } = await fixture.log(topics)
      await log.append(
        'spans',
        [...'abcdefgh'].map((value, index) => keyless(value, index % 2)),
      )
      const began = gate()
      const aborted = new Set<number>()
      const copy = copier(log, 1)
      const first = await own(log, async owned => {
        began.open()
        if (!owned.signal.aborted) await new Promise(resolve => owned.signal.addEventListener('abort', resolve))
        aborted.add(owned.partition)
        return copy(owned)
      })
      await began.opened
      const second = await own(log, copier(log, 1))
      await waitFor(() => expect(aborted.size).toBe(2))
      // The first member can still own one of the two partitions. The first member must therefore leave before the second member can
      // finish.
      await first.owner.stop()
      await waitFor(async () => expect(await committedOffsets(log)).toEqual([4, 4]))
      await waitFor(async () => expect(await copied(log)).toEqual([...'abcdefgh']))
      for (const error of first.fatal) expect(error).toMatchObject({ code: 'fenced' })
      expect(second.fatal).toEqual([])
      await second.owner.stop()
    })

    test('F22 · stop aborts the signal, waits for the work, which may still commit, and starts no further work', async () => {
      const { log } = await fixture.log([topic(), topics[1]!])
      await log.append('spans', [keyless('a'), keyless('b')])
      const began = gate()
      let turns = 0
      const copy = copier(log, 1)
      const { owner, fatal } = await own(log, async owned => {
        turns++
        began.open()
        if (!owned.signal.aborted) await new Promise(resolve => owned.signal.addEventListener('abort', resolve))
        return copy(owned)
      })
      await began.opened
      await owner.stop()
      // The test polls, because some partitions may not yet show a commit that the brokers have acknowledged.
      await waitFor(async () => expect([await copied(log), await committedOffsets(log)]).toEqual([['a'], [1]]))
      expect([turns, fatal]).toEqual([1, []])
    })

    test('a commit after the work has finished is fenced', async () => {
      const { log } = await fixture.log(topics)
      await log.append('spans', [keyless('a', 0)])
      let leaked: OwnedPartition | undefined
      const copy = copier(log)
      const { owner } = await own(log, async owned => {
        leaked ??= owned
        return copy(owned)
      })
      await waitFor(async () => expect(await committedOffsets(log)).toEqual([1]))
      await owner.stop()
      await expect(leaked!.commit(0, 'late')).rejects.toMatchObject({ code: 'fenced' })
      await expect(leaked!.commitWith(0, 'late', new Map([['filled', [keyless('late')]]]))).rejects.toMatchObject({ code: 'fenced' })
      expect(await committedOffsets(log)).toEqual([1])
    })

    test('after a commit of unknown outcome, work continues from the state of the log, so that no record is missing or duplicated', async () => {
      const { log } = await fixture.log(topics)
      const sent = Array.from({ length: 60 }, (_, index) => `${index}`.padStart(2, '0'))
      const committing = { next: gate() }
      const copy = copier(log, 1)
      const { owner, fatal } = await own(log, owned => {
        committing.next.open()
        return copy(owned)
      })
      for (const [index, value] of sent.entries()) await log.append('spans', [keyless(value, index % 2)])
      for (let fault = 0; adapter.loseAnswers && fault < 5; fault++) {
        committing.next = gate()
        await Promise.race([committing.next.opened, sleep(5000)])
        await sleep(fault * 4)
        await adapter.loseAnswers()
      }
      await waitFor(async () => expect(await committedOffsets(log)).toHaveLength(2))
      await waitFor(async () => expect(await copied(log)).toEqual(sent))
      await waitFor(async () => expect((await log.lag()).filter(({ lagRecords }) => lagRecords > 1)).toEqual([]))
      await owner.stop()
      expect([await copied(log), fatal]).toEqual([sent, []])
    })

    test('a bug in the work ends the owner and is reported once', async () => {
      const { log } = await fixture.log(topics)
      await log.append('spans', [keyless('a', 0)])
      const bug = new Error('bug')
      const { owner, fatal } = await own(log, async () => {
        throw bug
      })
      await waitFor(() => expect(fatal).toEqual([bug]))
      await owner.stop()
      expect(fatal).toEqual([bug])
    })
  })
