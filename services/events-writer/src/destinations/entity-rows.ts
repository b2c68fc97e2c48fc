// Turns a merged entity into rows of one table. No side effects.

import { nothingDenied } from '@svc-server/deletions/denials'
import { entityOfRecord, type PublishedEntity } from '@svc-server/entities/codec'
import type { RejectedRow } from '@svc-server/observations/block/chunk'
import { type DeniedTraces, tombstoneTicks } from '@svc-server/observations/block/denied'
import type { RowPlace } from '@svc-server/observations/block/row-place'
import { maxTimeUs } from '@svc-server/observations/time'
import { inTimeWindow, timeWindow } from '@svc-server/otlp/time-window'
import { decodeEntity, decodeEntityHead, type EntityRecord } from '@svc-server/schema/entity'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import type { SourceRecord } from './row-encoder.ts'

/** The engine rejects an insert that touches more than a hundred months. */
const maxAgeMonths = 96

export interface EntityTable<Row> {
  /** The type of the entities that the table takes; undefined if the table takes both types. */
  readonly entityType?: EntityRecord['entityType']
  /** How many microseconds one unit of a numeric time column stands for. */
  readonly unitUs: number
  /** The columns of the key, and the column with the trace id. A tombstone of a deleted trace has only these columns. */
  readonly kept: readonly (keyof Row & string)[]
  /** Returns the current row, and one tombstone for each earlier key. */
  rowsOf(entity: PublishedEntity): readonly Row[]
  placeOf(row: Row): Pick<RowPlace, 'traceId' | 'spanId' | 'type'> & { readonly start: number }
}

export interface EntityRows<Row> {
  readonly projectId: string
  readonly rows: readonly Row[]
  readonly places: readonly RowPlace[]
  readonly denied: boolean
}

interface AnyRow {
  readonly event_ts: number
  readonly is_deleted: 0 | 1
}

/** Never throws. */
export function entityRowsOf<Row extends AnyRow>(
  record: SourceRecord,
  table: EntityTable<Row>,
  denials: DeniedTraces = nothingDenied,
): EntityRows<Row> | RejectedRow {
  const { offset, timestampMs, value } = record
  const { unitUs } = table
  const reject = (index: 0 | null, reason: RejectedRow['reason'], message: string, projectId: string | null): RejectedRow => ({
    ...{ offset, index, reason, message, raw: value.slice(), projectId },
  })
  let projectId: string | null = null
  try {
    const head = decodeEntityHead(value)
    projectId = head.projectId
    if (table.entityType !== undefined && head.entityType !== table.entityType) return { projectId, rows: [], places: [], denied: false }
    const entity = entityOfRecord(decodeEntity(value))
    const made = table.rowsOf(entity)
    const denied = isDenied(entity, made, table, denials)
    const all = denied ? made.map(row => tombstoneOf(row, table)) : made
    const window = timeWindow(timestampMs, maxAgeMonths)
    const rows: Row[] = []
    const places: RowPlace[] = []
    for (const row of all) {
      const { start, ...place } = table.placeOf(row)
      const fault = faultOf(row, unitUs)
      if (fault !== undefined) return reject(null, 'record_undecodable', fault, projectId)
      if (!inTimeWindow(window, (start * unitUs) / 1000)) {
        // The table has no row outside the time window, so no tombstone is needed.
        if (row.is_deleted === 1) continue
        return reject(0, 'start_time_range', outside(entity), projectId)
      }
      const [startTimeUs, eventTsUs] = [start * unitUs, row.event_ts * unitUs]
      places.push({ ...place, projectId, startTimeUs, eventTsUs, month: monthOf(startTimeUs), offset, index: rows.length })
      rows.push(row)
    }
    return { projectId, rows, places, denied }
  } catch (error) {
    if (!(error instanceof UndecodableRecord)) throw error
    return reject(null, 'record_undecodable', error.message, projectId)
  }
}

/** True if the entity's trace is deleted. An observation can move to another trace: only its current trace counts. */
function isDenied<Row extends AnyRow>(
  { projectId, entityType, entityId }: PublishedEntity,
  rows: readonly Row[],
  { placeOf }: EntityTable<Row>,
  denials: DeniedTraces,
): boolean {
  if (!denials.concerns(projectId)) return false
  if (entityType === 'trace') return denials.denies(projectId, entityId)
  const [row] = rows
  return row !== undefined && denials.denies(projectId, placeOf(row).traceId)
}

/** Absent columns get their defaults. */
const tombstoneOf = <Row extends AnyRow>(row: Row, { kept }: EntityTable<Row>): Row =>
  ({
    ...Object.fromEntries(kept.map(name => [name, row[name]])),
    event_ts: row.event_ts + tombstoneTicks,
    is_deleted: 1,
  }) as unknown as Row

const outside = ({ entityType }: PublishedEntity) =>
  `The start of the ${entityType} is more than ${maxAgeMonths} months before the merge, or more than a month after the merge.`

const timeColumns = ['timestamp', 'start_time', 'end_time', 'completion_start_time', 'created_at', 'updated_at', 'event_ts']

function faultOf(row: object, unitUs: number): string | undefined {
  const cells = row as Readonly<Record<string, unknown>>
  const wrong = timeColumns.find(name => {
    const value = cells[name] ?? 0
    return !(Number.isInteger(value) && (value as number) >= 0 && (value as number) * unitUs <= maxTimeUs)
  })
  return wrong === undefined
    ? undefined
    : `The record is damaged: ${wrong} would be ${String(cells[wrong]).slice(0, 40)}, which is not a time.`
}

/** Returns the month in UTC as YYYYMM. */
function monthOf(us: number): number {
  const at = new Date(us / 1000)
  return at.getUTCFullYear() * 100 + at.getUTCMonth() + 1
}
