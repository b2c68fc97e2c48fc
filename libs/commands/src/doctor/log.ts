import { counted, verbFor } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { formatAge } from '../table.ts'
import type { Finding } from './finding.ts'

const area = 'event log'
/** A lag below this limit is normal, because staged spans wait for the end of their window (three minutes) and its grace period. */
const lateMs = 5 * 60_000
const shareOfRetention = 0.5
/**
 * Topics that only the merger reads. The merger is still needed if any record on these topics is unread, because these records are data for
 * the tables of v3.
 */
const mergedTopics: ReadonlySet<string> = new Set([topicNames.ingestion, topicNames.traceParts])

type Lags = Awaited<ReturnType<EventLog['lag']>>

function lagFindings(lags: Lags, retentionOf: (topic: string) => number): Finding[] {
  const byReader = new Map<string, { records: number; ms: number; topic: string }>()
  for (const { group, topic, lagRecords, lagMs } of lags) {
    const who = `${group} on ${topic}`
    const known = byReader.get(who) ?? { records: 0, ms: 0, topic }
    byReader.set(who, { topic, records: known.records + lagRecords, ms: Math.max(known.ms, lagMs) })
  }
  const late = [...byReader].filter(([, { ms }]) => ms > lateMs)
  if (late.length === 0)
    return [{ area, state: 'ok', says: `${counted(byReader.size, 'reader')}: none is more than ${formatAge(lateMs)} behind.` }]
  return late.map(([who, { records, ms, topic }]) => {
    const isUrgent = ms > retentionOf(topic) * shareOfRetention
    return {
      area,
      state: isUrgent ? 'fault' : 'warning',
      says: `${who} is ${counted(records, 'record')} behind. The oldest has waited ${formatAge(ms)}${isUrgent ? ', more than half of the topic’s retention' : ''}.`,
      do: isUrgent
        ? 'Raise retention.ms of the topic now, then find out why its reader makes no progress: docs/runbooks/alerts/svc-no-progress.md.'
        : 'Check whether the reader runs and what it waits for: docs/runbooks/alerts/svc-writer-behind.md.',
    }
  })
}

/** Topics whose partitions are assigned together need equal numbers of partitions. */
function partitionFindings(topics: Awaited<ReturnType<EventLog['describe']>>): Finding[] {
  const together: readonly string[] = [topicNames.staging, topicNames.filled, topicNames.traceAttributes]
  const counts = topics
    .filter(({ spec }) => together.includes(spec.name))
    .map(({ spec, partitions }) => `${spec.name} ${partitions.length}`)
  if (new Set(counts.map(each => each.split(' ')[1])).size <= 1) return []
  return [
    {
      area,
      state: 'fault',
      says: `Topics that are read together have different numbers of partitions: ${counts.join(', ')}.`,
      do: 'Create the topics with equal numbers of partitions under a new SVC_TOPIC_PREFIX, and stop the gateways. When svc topics shows no lag on the old topics, start all services with the new prefix.',
    },
  ]
}

/**
 * After a cutover, the merger must run until it has merged all data for the tables of v3. If the merger has never run, its group does not
 * exist yet, so the log reports no lag, and this function returns no finding.
 */
function mergerFindings(log: EventLog, lags: Lags, writeMode: WriteMode): Finding[] {
  const own = writeMode === 'events_only' ? lags.filter(({ group }) => group === groupNames.merger) : []
  if (own.length === 0) return []
  const left = own.filter(({ topic, lagRecords, lagMs }) => lagRecords > 0 && (lagMs > lateMs || mergedTopics.has(topic)))
  const records = left.reduce((sum, { lagRecords }) => sum + lagRecords, 0)
  if (records > 0) {
    return [
      {
        area,
        state: 'warning',
        says: `The merger has not yet read ${counted(records, 'record')} that may belong in the tables of v3.`,
        do: 'Keep the merger running until svc doctor reports that the merger can be removed. The file services/merger/README.md describes the removal.',
      },
    ]
  }
  const says = 'The merger has merged everything that was accepted for the tables of v3.'
  if (log.kind === 'embedded') return [{ area, state: 'ok', says }]
  return [
    {
      area,
      state: 'ok',
      says: `${says} The merger can be removed once every gateway runs in events_only: stop the merger, then delete its consumer group (services/merger/README.md).`,
    },
  ]
}

export async function examineLog(
  log: EventLog & { readonly warnings?: readonly string[] },
  writeMode: WriteMode,
): Promise<readonly Finding[]> {
  const [topics, lags] = [await log.describe(), await log.lag()]
  const retentionOf = (name: string) => topics.find(({ spec }) => spec.name === name)?.spec.retentionMs ?? Number.POSITIVE_INFINITY
  const deadLetters =
    topics.find(({ spec }) => spec.name === topicNames.deadLetter)?.partitions.reduce((sum, { records }) => sum + records, 0) ?? 0
  const lost = topics.flatMap(({ partitions }) => partitions.flatMap(each => each.lost ?? []))
  return [
    { area, state: 'ok', says: `The log (${log.kind}) responds and has ${counted(topics.length, 'topic')}.` },
    ...(log.warnings ?? []).map(says => ({ area, state: 'warning', says }) as const),
    ...partitionFindings(topics),
    ...lagFindings(lags, retentionOf),
    ...mergerFindings(log, lags, writeMode),
    deadLetters === 0
      ? { area, state: 'ok', says: 'There are no dead letters.' }
      : {
          area,
          state: 'warning',
          says: `The log contains ${counted(deadLetters, 'dead letter')}.`,
          do: 'svc dead-letter list',
        },
    ...(lost.length === 0
      ? []
      : [
          {
            area,
            state: 'fault',
            says: `${counted(lost.length, 'range')} of the log ${verbFor(lost.length, 'was', 'were')} damaged and skipped.`,
            do: 'svc log lost',
          } as const,
        ]),
  ]
}
