import { createObservationRows } from '@svc-server/entities/rows/observation'
import type { EventRow, ObservationRow } from '@svc-server/entities/rows/tables'
import { virtualRootRows } from '@svc-server/entities/rows/trace'
import type { CreateOtherRecords } from '@svc-server/observations/block/other-records'
import type { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { isEntity } from '@svc-server/schema/entity'
import type { Column } from '@svc-server/schema/events/columns'
import { type EntityTable, entityRowsOf } from './entity-rows.ts'
import { createRowWriter, type RowOf } from './row-writer.ts'

type AnyRow<Row> = RowOf<Row> & { readonly event_ts: number; readonly is_deleted: 0 | 1 }

export const createEntityRecords =
  <Row extends AnyRow<Row>>(columns: readonly Column[], tableOf: (lookup: CatalogLookup) => EntityTable<Row>): CreateOtherRecords =>
  (block, lookup) => {
    const write = createRowWriter(block, columns)
    const table = tableOf(lookup)
    return {
      knows: isEntity,
      open(record, denied) {
        const opened = entityRowsOf(record, table, denied)
        if ('reason' in opened) return opened
        const { rows, ...rest } = opened
        return { ...rest, write: (row, index) => write(row, rows[index]!) }
      },
    }
  }

export function oldObservations(lookup: CatalogLookup): EntityTable<ObservationRow> {
  const { old } = createObservationRows(lookup)
  return {
    entityType: 'observation',
    unitUs: 1000,
    kept: ['project_id', 'trace_id', 'type', 'start_time', 'id'],
    rowsOf: old,
    placeOf: ({ trace_id: traceId, id: spanId, type, start_time: start }) => ({ traceId, spanId, type, start }),
  }
}

/** Creates rows of the events tables. Each observation gets a row, and each trace gets a row for its virtual root observation. */
export function entityEvents(lookup: CatalogLookup): EntityTable<EventRow> {
  const { events } = createObservationRows(lookup)
  return {
    unitUs: 1,
    kept: ['project_id', 'trace_id', 'span_id', 'start_time'],
    rowsOf: entity => (entity.entityType === 'trace' ? virtualRootRows(entity) : events(entity)),
    placeOf: ({ trace_id: traceId, span_id: spanId, type, start_time: start }) => ({ traceId, spanId, type, start }),
  }
}
