// Converts a merged trace to rows of the v3 table `traces`, and to its virtual root in events_full (contract §2.2; contract §§11.5, 14.4,
// 15.5).
import type { PublishedEntity } from '../codec.ts'
import { createdMsOf, hasRow, keyOf, startMsOf, wrapperOf } from '../merged.ts'
import { metadataEntries } from '../metadata.ts'
import { saidValue } from '../state.ts'
import { attribution, eventMetadata, eventTimes, experimentOf, source } from './event-columns.ts'
import { type EventRow, flag, noTools, noUsage, type TraceRow } from './tables.ts'
import { eventTombstone, traceTombstone } from './tombstone.ts'
import { virtualRootOf } from './virtual-root.ts'

const day = 86_400_000

/** Returns the current row, if any, and a tombstone for each earlier key that differs from the current key. */
export function traceRows(entity: PublishedEntity): readonly TraceRow[] {
  const { state, retired } = entity
  const row = hasRow(state) ? traceRow(entity, startMsOf(entity, state)) : null
  // Each day needs at most one row (the trace's current row or a tombstone), because this row replaces all older rows of the trace on the
  // same day.
  const days = new Set(row === null ? [] : [dayOf(row.timestamp)])
  const gone = retired.filter(({ startMs }) => !days.has(dayOf(startMs)) && days.add(dayOf(startMs)))
  return [...(row === null ? [] : [row]), ...gone.map(({ startMs }) => traceTombstone(entity, startMs))]
}

export const dayOf = (ms: number): number => Math.floor(ms / day)

function traceRow({ projectId, entityId, state, versionMs }: PublishedEntity, timestamp: number): TraceRow {
  const wrapper = wrapperOf(state)
  return {
    id: entityId,
    project_id: projectId,
    name: saidValue(state, 'name') ?? wrapper?.name ?? '',
    environment: saidValue(state, 'environment') ?? wrapper?.environment ?? 'default',
    timestamp,
    user_id: saidValue(state, 'userId'),
    session_id: saidValue(state, 'sessionId'),
    release: saidValue(state, 'release'),
    version: saidValue(state, 'version'),
    metadata: metadataEntries(state.metadata).map(([name, text]) => [name, text] as const),
    public: flag(saidValue(state, 'public') === 'true'),
    bookmarked: flag(saidValue(state, 'bookmarked') === 'true'),
    tags: state.tags,
    input: saidValue(state, 'input'),
    output: saidValue(state, 'output'),
    created_at: createdMsOf(state) ?? versionMs,
    updated_at: versionMs,
    event_ts: versionMs,
    is_deleted: 0,
  }
}

/**
 * Returns the virtual root, and a tombstone at each former key. The virtual root is itself a tombstone if the trace has an OTel root span,
 * or if all of its legacy data has moved to other traces. A trace of only OTel spans has no virtual root.
 */
export function virtualRootRows(entity: PublishedEntity): readonly EventRow[] {
  const { state, retired, fill } = entity
  if (!state.legacy && !state.fields.has('wrapper')) return []
  // True if the trace was created only for an observation that now belongs to a different trace.
  const isWithdrawn = !state.legacy && wrapperOf(state) === null
  const isGone = isWithdrawn || state.root !== null || fill?.rootSpanId != null
  const key = keyOf(entity, state)
  return [
    ...(key === null ? [] : [virtualRoot(entity, key.startMs, isGone)]),
    ...retired.filter(({ startMs }) => startMs !== key?.startMs).map(({ startMs }) => virtualRoot(entity, startMs, true)),
  ]
}

function virtualRoot(entity: PublishedEntity, timestampMs: number, isDeleted: boolean): EventRow {
  const { projectId, entityId, state } = entity
  const { spanId, startUs } = virtualRootOf(entityId, timestampMs)
  if (isDeleted) return eventTombstone(entity, { trace_id: entityId, span_id: spanId, start_time: startUs, type: 'SPAN' })
  const row = traceRow(entity, timestampMs)
  return {
    project_id: projectId,
    trace_id: entityId,
    span_id: spanId,
    parent_span_id: '',
    start_time: startUs,
    end_time: null,
    name: row.name,
    type: 'SPAN',
    environment: row.environment,
    version: row.version ?? '',
    release: row.release ?? '',
    trace_name: row.name,
    user_id: row.user_id ?? '',
    session_id: row.session_id ?? '',
    tags: row.tags,
    level: 'DEFAULT',
    status_message: '',
    completion_start_time: null,
    bookmarked: row.bookmarked,
    public: row.public,
    prompt_id: '',
    prompt_name: '',
    prompt_version: null,
    model_id: '',
    provided_model_name: '',
    model_parameters: '{}',
    ...noUsage,
    ...noTools,
    input: row.input ?? '',
    output: row.output ?? '',
    ...eventMetadata(state.metadata),
    ...experimentOf(entity, spanId),
    source,
    ...attribution(state),
    ...eventTimes(entity),
    is_deleted: 0,
  }
}
