// Waits until the engine has finished its merges, and measures the parts. Benches use this module.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Queried {
  query<Row>(sql: string): Promise<Row[]>
}

/** Waits until no merge runs and no merge has started for two seconds. */
export async function untilMerged(columnStore: Queried): Promise<void> {
  let before = ''
  for (let quiet = 0; quiet < 4; ) {
    const [state] = await columnStore.query<{ merges: string; parts: string }>(
      `SELECT (SELECT count() FROM system.merges) AS merges,
         (SELECT toString(groupArray(name)) FROM (SELECT name FROM system.parts WHERE active ORDER BY database, table, name)) AS parts`,
    )
    const now = `${state!.merges} ${state!.parts}`
    quiet = String(state!.merges) === '0' && now === before ? quiet + 1 : 0
    before = now
    await sleep(500)
  }
}

export interface PartState {
  readonly parts: number
  readonly bytesPerRow: number
}

/** Returns the parts of the events tables. Also returns the parts of the old observations table if this table has rows. */
export async function partsOf(columnStore: Queried, database: string): Promise<Record<string, PartState>> {
  const rows = await columnStore.query<{ table: string; parts: string; bytes: string; rows: string }>(
    `SELECT table, count() AS parts, sum(bytes_on_disk) AS bytes, sum(rows) AS rows FROM system.parts
     WHERE active AND database = '${database}' AND (startsWith(table, 'events_') OR table = 'observations') GROUP BY table ORDER BY table`,
  )
  return Object.fromEntries(
    rows.map(({ table, parts, bytes, rows }) => [table, { parts: Number(parts), bytesPerRow: Math.round(Number(bytes) / Number(rows)) }]),
  )
}
