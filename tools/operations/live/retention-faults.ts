// Faults in which retention deletes records that a consumer group has not read yet.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../../libs/dev-servers/src/index.ts'
import { type Admin, administer, appendedTo, committedBy, cut } from '../../../libs/log/test/kafka/administrator.ts'
import { readersOf } from '../../../libs/modes/src/flows.ts'
import { defaultTopicPrefix, type GroupName, groupNames, topicNames } from '../../../libs/modes/src/names.ts'
import { blindAudit, vanish } from './acts.ts'
import type { Fault, Watched } from './watched.ts'

type Ends = ReadonlyMap<number, number>

const topic = defaultTopicPrefix + topicNames.direct
const others: readonly GroupName[] = readersOf(topicNames.direct).filter(group => group !== groupNames.writer)

const onBrokers = <Result>({ cluster }: Watched, work: (admin: Admin) => Promise<Result>): Promise<Result> =>
  administer(cluster.running.stores.kafka!.brokers, work)

const stored = (admin: Admin): Promise<Ends> => committedBy(admin, groupNames.writer, topic)
const recordsIn = (ends: Ends) => [...ends.values()].reduce((sum, end) => sum + end, 0)

/** Waits until all groups except the writer have read up to `ends`. Then deletes the records before `ends`, as retention does. */
async function retain(admin: Admin, ends: Ends): Promise<void> {
  const areBehind = async (group: GroupName) => {
    const read = await committedBy(admin, group, topic)
    return [...ends].some(([partition, end]) => (read.get(partition) ?? 0) < end)
  }
  for (const group of others)
    await waitFor(async () => !(await areBehind(group)), { what: `${group} to have read everything`, timeoutMs: 60_000, everyMs: 200 })
  await cut(admin, topic, ends)
}

export const lostRows: Fault = {
  what: 'rows that are deleted from the tables, and whose records are then deleted from the log',
  alerts: ['SvcSpansLost'],
  async begin(watched) {
    const { cluster } = watched
    const missed = () => cluster.metric('svc_unaccounted_spans', [cluster.running.writers[0]!.probeUrl])
    await waitFor(async () => (await missed()) === 0, { what: 'the audit to find no missing rows', timeoutMs: 300_000, everyMs: 200 })
    const restore = await vanish(watched)
    const areMissed = async () => (await missed()) >= 5
    try {
      await waitFor(areMissed, { what: 'the audit to find the missing rows', timeoutMs: 300_000, everyMs: 200 })
      await onBrokers(watched, async admin => retain(admin, await stored(admin)))
    } catch (error) {
      await restore()
      throw error
    }
    return restore
  },
}

export const passedAudit: Fault = {
  what: 'an audit whose queries fail for so long that retention deletes records that the audit has not read',
  alerts: ['SvcAuditPassedOver'],
  async begin(watched) {
    const { columnStore } = watched
    blindAudit(watched)
    await onBrokers(watched, async admin => {
      const before = recordsIn(await stored(admin))
      const isFurther = async () => recordsIn(await stored(admin)) > before + 20
      await waitFor(isFurther, { what: 'more records to be stored', timeoutMs: 300_000, everyMs: 200 })
      await retain(admin, await stored(admin))
    })
    columnStore.heal()
    return undefined
  },
}

/** Stops the writer, calls `between`, and then deletes the records that the writer has not read. */
async function outlive(watched: Watched, between: (admin: Admin) => Promise<unknown>): Promise<void> {
  const [writer] = watched.cluster.running.writers
  await writer!.stop()
  await sleep(5_000)
  await onBrokers(watched, async admin => {
    await between(admin)
    await retain(admin, await appendedTo(admin, topic))
  })
}

export const expiredRecords: Fault = {
  what: 'a consumer group whose offsets are deleted together with its unread records',
  alerts: ['SvcRecordsExpired'],
  async begin(watched) {
    await outlive(watched, admin => admin.deleteGroups([groupNames.writer]))
    await watched.cluster.running.writers[0]!.start()
    return undefined
  },
}

export const passedWriter: Fault = {
  what: 'a writer that was stopped for longer than retention',
  alerts: ['SvcPartitionHalted'],
  async begin(watched) {
    const [writer] = watched.cluster.running.writers
    await onBrokers(watched, async admin => {
      const { size } = await appendedTo(admin, topic)
      const hasOffsets = async () => (await stored(admin)).size === size
      await waitFor(hasOffsets, { what: 'the writer to have committed on every partition', timeoutMs: 300_000, everyMs: 200 })
    })
    await outlive(watched, async () => {})
    // The writer's process runs, but the writer does not become ready. `start` therefore does not resolve yet.
    const starting = writer!.start().catch(() => {})
    return async () => {
      await writer!.stop()
      await starting
      await onBrokers(watched, admin => admin.resetOffsets({ groupId: groupNames.writer, topic, earliest: true }))
      await writer!.start()
    }
  },
}
