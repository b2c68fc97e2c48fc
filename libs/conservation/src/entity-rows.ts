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
 * Returns the entity's row, if it must have one, and a tombstone for each storable key that the row had earlier (`retired`). A caller can
 * count a row as present if the table has a row with the same key and with the same version or a newer version. `appendMs` is the record's
 * append time.
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
  // The writer stores no row whose start is too early or too late. If the start of a staged entity is not storable, the staged record of
  // this entity need not have a row. The audit of spans.filled then checks the record with which the entity was published.
  const owes = topic !== topicNames.staging && !isGone
  const rows = current === null || (!owes && !isStorable(current, topic, appendMs)) ? [] : [rowAt(current)]
  return [...rows, ...retired.filter(key => isStorable(key, topic, appendMs)).map(rowAt)]
}

/**
 * The writer stores a row only if its start is between two limits. The limits depend on the append time of the record. For a staged record,
 * the limits depend on the time of its publication instead. Returns false if the start is beyond a limit or within a day of a limit. No
 * tombstone is then needed. One tombstone is enough for all rows of a day, and its start can be any time of that day. If a row's start is
 * within a day of a limit, the tombstone's start can therefore be beyond this limit. The writer does not store such a tombstone, so the
 * audit must not demand it.
 */
function isStorable({ startMs }: EntityKey, topic: string, appendMs: number): boolean {
  const { earliestMs, latestMs } = timeWindow(appendMs, topic === topicNames.staging ? maxAgeMonths - 1 : maxAgeMonths)
  return startMs >= earliestMs + dayMs && startMs <= latestMs - dayMs
}

/**
 * True if the virtual root of the trace must be a tombstone. There are two possible reasons. First, the trace has a span as its root.
 * Second, the trace was created for an observation without a trace, but this observation now belongs to another trace.
 */
const isSuppressed = (entity: EntityRecord): boolean =>
  entity.root !== null || entity.rootSpanId != null || (!entity.legacy && lentStartMs(entity) === null)

/**
 * Returns the key of the entity's row. Returns null if the entity has no row. This is the case if no event is about the entity itself and
 * `lentStartMs` returns null.
 */
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
 * Returns the start of the observation without a trace id for which the server created the trace. Returns null if there is no such
 * observation. A trace with such an observation has a row even if no event is about the trace itself.
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
