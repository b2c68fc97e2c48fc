// How long the engine's merges go on, and what they leave behind.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColumnStore } from '@svc-server/column-store/port'

/** Waits until no merge runs and none has begun for two seconds. */
export async function untilMerged(columnStore: ColumnStore): Promise<void> {
  let before = ''
  for (let quiet = 0; quiet < 4; ) {
    const [state] = await columnStore.query<{ merges: string; parts: string }>(
      `SELECT (SELECT count() FROM system.merges) AS merges,
         (SELECT toString(groupArray(name)) FROM (SELECT name FROM system.parts WHERE active ORDER BY database, table, name)) AS parts`,
    )
    const now = `${state!.merges} ${state!.parts}`
    quiet = state!.merges === '0' && now === before ? quiet + 1 : 0
    before = now
    await sleep(500)
  }
}

export interface PartState {
  readonly parts: number
  readonly bytesPerRow: number
}

export async function partsOf(columnStore: ColumnStore, database: string): Promise<Record<string, PartState>> {
  const rows = await columnStore.query<{ table: string; parts: string; bytes: string; rows: string }>(
    `SELECT table, count() AS parts, sum(bytes_on_disk) AS bytes, sum(rows) AS rows FROM system.parts
     WHERE active AND database = {database:String} AND startsWith(table, 'events_') GROUP BY table ORDER BY table`,
    { database },
  )
  return Object.fromEntries(
    rows.map(({ table, parts, bytes, rows }) => [table, { parts: Number(parts), bytesPerRow: Math.round(Number(bytes) / Number(rows)) }]),
  )
}
