// Decides whether the merger is needed. An installation that began in `events_only` needs no merger, because it never accepts a record for
// v3's tables.
import type { EventLog } from '@svc-server/log'
import { topicsOf } from '@svc-server/modes/flows'
import { groupNames, topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { envelopeOf } from '@svc-server/schema/envelope'

type ReadableLog = Pick<EventLog, 'describe' | 'committed' | 'read'>

/** Only the merger, and gateways in `legacy` or `dual`, write to these topics. */
const ownTopics: ReadonlySet<string> = new Set([topicNames.ingestion, topicNames.traceParts])
const spanTopics: ReadonlySet<string> = new Set([topicNames.direct, topicNames.overflow, topicNames.staging])

/**
 * The first record is enough to decide, because an installation never returns to an earlier write mode. Returns false for an empty topic.
 */
async function beganOtherwise(log: ReadableLog, topic: string, { partition, lowWatermark, highWatermark }: Place): Promise<boolean> {
  if (lowWatermark >= highWatermark) return false
  const [first] = (await log.read(topic, partition, lowWatermark, 1)).records
  const { writeMode } = envelopeOf(first?.value ?? null, 0)
  return writeMode !== null && writeMode !== 'events_only'
}

interface Place {
  readonly partition: number
  readonly lowWatermark: number
  readonly highWatermark: number
}

/** Rejects with log_*. */
export async function isNeeded(log: ReadableLog, writeMode: WriteMode): Promise<boolean> {
  if (writeMode !== 'events_only') return true
  const read = topicsOf(groupNames.merger)
  for (const topic of read) if ((await log.committed(groupNames.merger, topic)).size > 0) return true
  for (const { spec, partitions } of await log.describe()) {
    if (ownTopics.has(spec.name) && partitions.some(({ highWatermark }) => highWatermark > 0)) return true
    if (!spanTopics.has(spec.name)) continue
    for (const place of partitions) if (await beganOtherwise(log, spec.name, place)) return true
  }
  return false
}
