import { randomUUID } from 'node:crypto'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import { waitFor } from '@svc-server/testkit'
import { type RunningWriter, spanBatch, type World } from './world.ts'

interface LedgerRow {
  readonly first: number
  readonly last: number
  readonly records: number
  readonly spans: number
  readonly rows: number
  readonly dead: number
}

export function accountsOf(world: () => World) {
  const ledger = async (partition = 0, final = 'FINAL'): Promise<LedgerRow[]> =>
    (
      await world().columnStore.query<Record<keyof LedgerRow, string>>(
        `SELECT first_offset AS first, last_offset AS last, records, spans, rows, dead_lettered AS dead
         FROM ingest_ledger ${final} WHERE topic = 'spans.direct' AND partition = ${partition} ORDER BY first_offset`,
      )
    ).map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as unknown as LedgerRow)

  /** Changes a table directly with a mutation. A mutation needs merges, so this function enables merges for a moment. */
  async function change(table: string, what: string): Promise<void> {
    const { columnStore } = world()
    await columnStore.command(`SYSTEM START MERGES ${columnStore.database}.${table}`)
    await columnStore.command(`ALTER TABLE ${table} ${what} SETTINGS mutations_sync = 2`)
    await columnStore.command(`SYSTEM STOP MERGES ${columnStore.database}.${table}`)
  }

  /** Stores each record in its own chunk. */
  async function stored(counts: readonly number[]): Promise<RunningWriter> {
    const writer = world().writer({ config: { chunkMaxRows: 1 } })
    for (const count of counts) await world().send({ count })
    await writer.service.start()
    await world().settled()
    return writer
  }

  return { ledger, change, stored, unaccounted, audited }
}

const unaccounted = (writer: RunningWriter) => writer.metric('svc_unaccounted_spans')

async function audited(writer: RunningWriter): Promise<void> {
  const rounds = () => Promise.all(['svc_ledger_audits_total', 'svc_row_audits_total'].map(name => writer.metric(name, 'done')))
  const before = Math.max(...(await rounds()))
  // Each round audits only the records that were already committed when the previous round ran. The first of the three rounds may already
  // be running now. The second round has not begun yet. The third round therefore audits all records that are committed now.
  await waitFor(async () => Math.min(...(await rounds())) >= before + 3, { what: 'three audits of ledger and rows' })
}

/** Sets a new token. The engine then inserts a block again, even if it already has this block. */
export const anew = () => `SETTINGS insert_deduplication_token = '${randomUUID()}'`

/** Makes a record that announces a wrong number of spans. Only a defective gateway would write this record. */
export const lyingBatch = (says: number, has: number) => encodeSpanBatch({ ...decodeSpanBatch(spanBatch({ count: has })), spanCount: says })
