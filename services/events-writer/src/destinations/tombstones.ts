// Makes tombstones for spans of deleted traces. A tombstone has only the key and the provenance of the row that it replaces.
import type { CreateTombstones } from '@svc-server/observations/block/denied'
import type { RowPlace } from '@svc-server/observations/block/row-place'
import type { Column } from '@svc-server/schema/events/columns'
import { createRowWriter, type RowOf } from './row-writer.ts'

export const createTombstones =
  <Row extends RowOf<Row>>(columns: readonly Column[], rowOf: (place: RowPlace) => Row): CreateTombstones =>
  block => {
    const write = createRowWriter(block, columns)
    return (row, place) => write(row, rowOf(place))
  }

/** Returns a tombstone for events_full. */
export const goneEvent = (place: RowPlace) => ({
  project_id: place.projectId,
  trace_id: place.traceId,
  span_id: place.spanId,
  start_time: place.startTimeUs,
  event_ts: place.eventTsUs,
  is_deleted: 1,
})

/** Returns a tombstone for v3's `observations`, whose times are in milliseconds. */
export const goneObservation = (place: RowPlace) => ({
  project_id: place.projectId,
  trace_id: place.traceId,
  id: place.spanId,
  type: place.type,
  start_time: Math.floor(place.startTimeUs / 1000),
  event_ts: Math.floor(place.eventTsUs / 1000),
  is_deleted: 1,
})
