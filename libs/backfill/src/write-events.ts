// All steps insert into events_full with this module. An earlier try with an unknown outcome may have left different rows in events_full
// and events_core. After such a try, the module makes both tables equal before it inserts new rows.

import { literal } from '@svc-server/column-store/literal'
import { coreAlone, type EventsInsert, insertEvents, refillCore } from './insert-events.ts'
import type { Session } from './session.ts'

interface LoneRow {
  readonly project_id: string
  readonly trace_id: string
  readonly span_id: string
  readonly us: string
}

/** Deletes rows of the backfill that are in events_core, but not in events_full. The next insert then writes these rows to both tables. */
async function removeLoneRows(session: Session, { target }: EventsInsert): Promise<void> {
  const core = session.dialect.table('events_core')
  for (;;) {
    const lone = await session.query<LoneRow>(coreAlone(session, target))
    if (lone.length === 0) return
    const keys = lone.map(
      row =>
        `(${literal(row.project_id)}, ${literal(row.trace_id)}, ${literal(row.span_id)}, fromUnixTimestamp64Micro(toInt64(${row.us})))`,
    )
    await session.run(
      `DELETE FROM ${core} WHERE (project_id, trace_id, span_id, start_time) IN (${keys.join(', ')}) AND source IN ('otel-backfill', 'ingestion-api-backfill')`,
    )
  }
}

export async function writeEvents(session: Session, inserts: readonly EventsInsert[], inDoubt: boolean): Promise<void> {
  if (inDoubt) {
    for (const insert of inserts) {
      await removeLoneRows(session, insert)
      await session.run(refillCore(session, insert.target))
    }
  }
  for (const insert of inserts) await session.run(insertEvents(session, insert))
}
