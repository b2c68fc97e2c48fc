// Where the rows of a merged entity must stand, told from its record by other lines than those that merge it and make its rows: what those overlook
// must show.
import { parseJson } from '@svc-server/json'
import { topicNames } from '@svc-server/modes/names'
import { timeWindow } from '@svc-server/otlp/time-window'
import type { EntityKey, EntityRecord } from '@svc-server/schema/entity'
import { entityTimeUs } from '@svc-server/schema/envelope'
import type { RowVersion } from './presence/key.ts'

const dayMs = 86_400_000
/** As far back as a row may begin. */
const maxAgeMonths = 96

/**
 * What must be in the tables that a record on this topic is for: the row, and a tombstone at each key where one of an earlier version stood. Each is
 * there when its key has a row that is as new, whatever it is: keys that are one to a table are asked for twice. `appendMs`: append time of the record.
 */
export function rowsOfEntity(entity: EntityRecord, topic: string, appendMs: number): readonly RowVersion[] {
  const isOld = topic === topicNames.entities
  const { projectId, entityType, entityId, retired } = entity
  const isTrace = entityType === 'trace'
  // A trace is there by its virtual root, or by its tombstone; one that came by OTel alone never was.
  if (isTrace && !isOld && !entity.legacy && !entity.fields.some(({ name }) => name === 'wrapper')) return []
  const eventTsUs = entityTimeUs(entity)
  const rowAt = ({ startMs, type, traceId }: EntityKey): RowVersion => ({
    ...{ projectId, type, startTimeUs: startMs * 1000, eventTsUs },
    traceId: isTrace ? entityId : traceId,
    spanId: isTrace && !isOld ? `t-${entityId}` : entityId,
  })
  const current = keyOf(entity)
  const isGone = isTrace && !isOld && isSuppressed(entity)
  // What is staged is judged by its row; where that cannot be, by what becomes of it on spans.filled.
  const owes = topic !== topicNames.staging && !isGone
  const rows = current === null || (!owes && !isStorable(current, topic, appendMs)) ? [] : [rowAt(current)]
  return [...rows, ...retired.filter(key => isStorable(key, topic, appendMs)).map(rowAt)]
}

/**
 * Where no row can have stood, no tombstone has to. On spans.staging the time counts at which it comes to spans.filled, at most a backlog later; and a
 * day's rows may share a tombstone.
 */
function isStorable({ startMs }: EntityKey, topic: string, appendMs: number): boolean {
  const { earliestMs, latestMs } = timeWindow(appendMs, topic === topicNames.staging ? maxAgeMonths - 1 : maxAgeMonths)
  return startMs >= earliestMs + dayMs && startMs <= latestMs - dayMs
}

/** Only a tombstone stands for the trace: a span of it is the root, or the observation that lent it is in another. */
const isSuppressed = (entity: EntityRecord): boolean =>
  entity.root !== null || entity.rootSpanId != null || (!entity.legacy && lentStartMs(entity) === null)

/** Null: all that is known of it was said by others, so that it has no row. */
function keyOf(entity: EntityRecord): EntityKey | null {
  const { entityType, entityId, firstMs } = entity
  const earliestMs = firstMs ?? lentStartMs(entity)
  if (earliestMs === null) return null
  const isTrace = entityType === 'trace'
  const said = saidIn(entity, isTrace ? 'timestampMs' : 'startMs')
  const startMs = said === null ? earliestMs : Number(said)
  if (isTrace) return { startMs, type: '', traceId: '' }
  return { startMs, type: saidIn(entity, 'type') ?? 'SPAN', traceId: saidIn(entity, 'traceId') ?? entityId }
}

const saidIn = ({ fields }: EntityRecord, wanted: string): string | null => fields.find(({ name }) => name === wanted)?.value ?? null

/** When the observation began that lends a trace without events its row. */
function lentStartMs(entity: EntityRecord): number | null {
  try {
    const lent = parseJson(saidIn(entity, 'wrapper') ?? 'null')
    const startMs: unknown = Array.isArray(lent) ? lent[0] : null
    return typeof startMs === 'number' ? startMs : null
  } catch {
    return null
  }
}
