// Functions that several faults use.
import { randomUUID } from 'node:crypto'
import { runScript } from '../../../apps/cluster/test/cluster.ts'
import { waitFor } from '../../../libs/dev-servers/src/index.ts'
import type { ColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import type { Watched } from './watched.ts'
import { exportOf, send, spanOf } from './watched-load.ts'

const svc = new URL('../../../apps/svc/src/main.ts', import.meta.url).href

export async function operate({ cluster }: Watched, ...argv: readonly string[]): Promise<void> {
  const { code, out, error } = await runScript(svc, cluster.running.operatorEnv, ...argv)
  if (code !== 0) throw new Error(out + error)
}

export interface Exception {
  readonly code: number
  readonly type: string
  readonly message: string
}
export const notAllowed: Exception = { code: 497, type: 'ACCESS_DENIED', message: 'Not enough privileges' }

/** Makes all inserts fail with the exception, until the returned function is called. */
export async function failInserts(store: ColumnStoreProxy, exception: Exception): Promise<() => Promise<void>> {
  store.onRequest(({ isInsert }) => (isInsert ? { kind: 'exception', ...exception } : null))
  return async () => store.heal()
}

export function repeat(work: () => Promise<void>): () => Promise<void> {
  let isOver = false
  const working = (async () => {
    while (!isOver) await work()
  })()
  return async () => {
    isOver = true
    await working
  }
}

export const knock = ({ cluster }: Watched): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`pk-revoked-${Date.now()}:sk`).toString('base64')}`
  return send(cluster, '/v1/traces', exportOf(spanOf('whose')), { authorization })
}

/** Until `columnStore.heal()` is called, one query of the audit fails: the query for the keys that have no row. */
export const blindAudit = ({ columnStore }: Watched): void =>
  columnStore.onRequest(({ query }) => (query.includes('materialize({keys:String})') ? { kind: 'exception', ...notAllowed } : null))

/**
 * Sends some spans and deletes their rows. Returns a function that ends the fault. The returned function sends the spans again, so that the
 * deleted rows exist again under the same keys.
 */
export async function vanish(watched: Watched): Promise<() => Promise<void>> {
  const { cluster, columnStore, command } = watched
  const name = `vanishing ${randomUUID()}`
  const body = exportOf(...Array.from({ length: 5 }, () => spanOf(name)))
  async function sendThem(): Promise<void> {
    await send(cluster, '/v1/traces', body, { 'x-svc-ingestion-version': '4' })
  }
  async function areStored(): Promise<boolean> {
    const [row] = await cluster.query<{ rows: string }>(`SELECT count() AS rows FROM events_core WHERE name = '${name}'`)
    return Number(row!.rows) === 5
  }
  blindAudit(watched)
  await sendThem()
  await waitFor(areStored, { what: 'spans to be stored', timeoutMs: 300_000, everyMs: 200 })
  for (const table of ['events_full', 'events_core']) await command(`DELETE FROM ${table} WHERE name = '${name}'`)
  columnStore.heal()
  return sendThem
}
