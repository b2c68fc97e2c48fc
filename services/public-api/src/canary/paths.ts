import { randomBytes } from 'node:crypto'
import { literal } from '@svc-server/column-store/literal'
import { canaryProject } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'

export const canaryPaths = ['direct', 'staged', 'ingestion'] as const
export type CanaryPath = (typeof canaryPaths)[number]

interface Letter {
  /** Id of the item's row. */
  readonly id: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Way {
  /**
   * True if the write mode has this path. The mode `legacy` stages no spans, so it has no path `staged`. The mode `events_only` accepts no
   * legacy events, so it has no path `ingestion`.
   */
  readonly isIn: (writeMode: WriteMode) => boolean
  /** Interval of the lookups while the item is missing. */
  readonly lookEveryMs: number
  readonly write: (atMs: number) => Letter
}

const span =
  (ingestionVersion: string): Way['write'] =>
  atMs => {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
    const time = `${atMs}000000`
    const spans = [{ traceId, spanId, name: 'canary', kind: 1, startTimeUnixNano: time, endTimeUnixNano: time }]
    return {
      id: spanId,
      path: '/api/public/otel/v1/traces',
      headers: { 'x-svc-ingestion-version': ingestionVersion },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'svc-canary' }, spans }] }] }),
    }
  }

function event(atMs: number): Letter {
  const id = randomBytes(16).toString('hex')
  const timestamp = new Date(atMs).toISOString()
  const body = { id, traceId: randomBytes(16).toString('hex'), name: 'canary', startTime: timestamp, endTime: timestamp }
  const batch = [{ id: `event-${id}`, timestamp, type: 'span-create', body }]
  return { id, path: '/api/public/ingestion', headers: {}, body: JSON.stringify({ batch }) }
}

export const ways: Readonly<Record<CanaryPath, Way>> = {
  direct: { isIn: () => true, lookEveryMs: 500, write: span('4') },
  staged: { isIn: writeMode => writeMode !== 'legacy', lookEveryMs: 2_000, write: span('3') },
  ingestion: { isIn: writeMode => writeMode !== 'events_only', lookEveryMs: 2_000, write: event },
}

/**
 * Returns the SQL that looks for test items. The SQL finds only items that were sent at `sinceMs` or later. If a row is written to
 * several tables, the statement reads the table that is filled last.
 */
export function lookFor(path: CanaryPath, writeMode: WriteMode, ids: readonly string[], sinceMs: number): string {
  const [table, id] = path === 'ingestion' || writeMode === 'legacy' ? ['observations', 'id'] : ['events_core', 'span_id']
  return (
    `SELECT DISTINCT ${id} AS id FROM ${table} WHERE project_id = ${literal(canaryProject)} ` +
    `AND start_time >= fromUnixTimestamp64Milli(${Math.floor(sinceMs)}) AND ${id} IN (${ids.map(literal).join(', ')})`
  )
}
