// Detects a restart of the server. After a restart, deduplication tokens prove nothing, so the writer must look up whether its rows are
// stored (architecture §7).
import type { ClickHouseClient } from '@clickhouse/client'

export interface ServerIdentity {
  readonly version: string
  readonly startedAt: string
}

interface Row {
  readonly version: string
  readonly started: string
  readonly server: string
  readonly boot: string
  readonly incarnation: string
}

// Reads values that change at each start of the server. In the embedded engine, the macro `svc_boot` gets a new value. In any other server,
// the in-memory system tables get new UUIDs. A user who may not read these values can still read the start time (in seconds).
const exact = `SELECT version() AS version, toString(toUnixTimestamp(now()) - uptime()) AS started, toString(serverUUID()) AS server,
  (SELECT anyOrDefault(substitution) FROM system.macros WHERE macro = 'svc_boot') AS boot,
  (SELECT anyOrDefault(toString(uuid)) FROM system.tables WHERE database = 'system' AND name = 'one') AS incarnation`
const coarse = `SELECT version() AS version, toString(toUnixTimestamp(now()) - uptime()) AS started, toString(serverUUID()) AS server,
  '' AS boot, '' AS incarnation`

const noUuid = '00000000-0000-0000-0000-000000000000'
/**
 * Two start times of one server can differ by this much without a restart. Each start time is computed as the difference of two rounded
 * times, and can be wrong by a second.
 */
const jitterSeconds = 2

/** Remembers the last start time, so that a rounding difference does not look like a restart. */
export const createIdentityProbe = (client: ClickHouseClient): (() => Promise<ServerIdentity>) => {
  const startTimes = new Map<string, number>()

  const steadyStart = ({ server, started }: Row): number => {
    const seconds = Number(started)
    const known = startTimes.get(server)
    const steady = known !== undefined && Math.abs(known - seconds) <= jitterSeconds ? known : seconds
    startTimes.set(server, steady)
    return steady
  }

  const ask = async (query: string): Promise<Row> => {
    const result = await client.query({ query, format: 'JSONEachRow', clickhouse_settings: { output_format_json_quote_64bit_integers: 1 } })
    const [row] = await result.json<Row>()
    if (row === undefined) throw new Error('the server answered without a row')
    return row
  }

  return async () => {
    const row = await ask(exact).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && String(error.code) === '497') return ask(coarse)
      throw error
    })
    if (row.boot !== '') return { version: row.version, startedAt: row.boot }
    if (row.incarnation !== '' && row.incarnation !== noUuid) return { version: row.version, startedAt: `${row.server}/${row.incarnation}` }
    return { version: row.version, startedAt: `${row.server}/${steadyStart(row)}` }
  }
}
