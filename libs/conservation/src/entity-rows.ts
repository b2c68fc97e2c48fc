// Computes the keys that the rows of a merged entity must have. The input is the entity's record. Shares no code with the merger and the
// writer, so that it can detect their omissions.
import { parseJson } from '@svc-server/json'
import { topicNames } from '@svc-server/modes/names'
import { timeWindow } from '@svc-server/otlp/time-window'
import type { EntityKey, EntityRecord } from '@svc-server/schema/entity'
import { entityTimeUs } from '@svc-server/schema/envelope'
import type { RowVersion } from './presence/key.ts'

const dayMs = 86_400_000
/** Maximum months between a row's start time and the append of the row's record. */
const maxAgeMonths = 96

/**
 * Returns the entity's row, and a tombstone for each key of an earlier version. A caller can count a row as present if the table has a row
 * with the same key and with the same version or a newer version. `appendMs` is the record's append time.
 */
export function rowsOfEntity(entity: EntityRecord, topic: string, appendMs: number): readonly RowVersion[] {
  const isOld = topic === topicNames.entities
  const { projectId, entityType, entityId, retired } = entity
  const isTrace = entityType === 'trace'
  // A trace that has only OTel spans has neither a row for its virtual root nor a tombstone.
  if (isTrace && !isOld && !entity.legacy && !entity.fields.some(({ name }) => name === 'wrapper')) return []
  const eventTsUs = entityTimeUs(entity)
  const rowAt = ({ startMs, type, traceId }: EntityKey): RowVersion => ({
    ...{ projectId, type, startTimeUs: startMs * 1000, eventTsUs },
    traceId: isTrace ? entityId : traceId,
    spanId: isTrace && !isOld ? `t-${entityId}` : entityId,
  })
  const current = keyOf(entity)
  const isGone = isTrace && !isOld && isSuppressed(entity)
  // If the start of a staged entity is too early or too late for a row, the staged record of this entity need not have a row. The audit of
  // spans.filled then checks the record with which the entity was published.
  const owes = topic !== topicNames.staging && !isGone
  const rows = current === null || (!owes && !isStorable(current, topic, appendMs)) ? [] : [rowAt(current)]
  return [...rows, ...retired.filter(key => isStorable(key, topic, appendMs)).map(rowAt)]
}

/**
 * False if the start is too early or too late for a row, or is within a day of the limits for rows. No tombstone is then needed. The limits
 * depend on the record's append time. For a staged record, they depend on the time of its publication. One tombstone is enough for all rows
 * of a day, and the start of this tombstone can be any time of that day, even a time beyond the limits. The function therefore also returns
 * false within a day of the limits.
 */
function isStorable({ startMs }: EntityKey, topic: string, appendMs: number): boolean {
  const { earliestMs, latestMs } = timeWindow(appendMs, topic === topicNames.staging ? maxAgeMonths - 1 : maxAgeMonths)
  return startMs >= earliestMs + dayMs && startMs <= latestMs - dayMs
}

/**
 * True if the virtual root of the trace must be a tombstone. There are two possible reasons. Either a span is the trace's root, or the
 * trace was created for an observation without a trace, and this observation now belongs to another trace.
 */
const isSuppressed = (entity: EntityRecord): boolean =>
  entity.root !== null || entity.rootSpanId != null || (!entity.legacy && lentStartMs(entity) === null)

/** Returns the key of the entity's row. Returns null if the entity has no row, because no event is about the entity itself. */
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

/**
 * The service can create a trace for an observation without a trace id. Such a trace has a row. For such a trace, returns the start of the
 * observation. Otherwise, returns null.
 */
function lentStartMs(entity: EntityRecord): number | null {
  try {
    const lent = parseJson(saidIn(entity, 'wrapper') ?? 'null')
    const startMs: unknown = Array.isArray(lent) ? lent[0] : null
    return typeof startMs === 'number' ? startMs : null
  } catch {
    return null
  }
}
