// What several faults do.
import { setTimeout as sleep } from 'node:timers/promises'
import { runScript } from '../../../apps/cluster/test/cluster.ts'
import type { ColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import type { Watched } from './watched.ts'
import { exportOf, send, spanOf } from './watched-load.ts'

const svc = new URL('../../../apps/svc/src/main.ts', import.meta.url).href

/** As an operator, by `svc`. */
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

/** The column store answers inserts with it until that is ended. */
export async function failInserts(store: ColumnStoreProxy, exception: Exception): Promise<() => Promise<void>> {
  store.onRequest(({ isInsert }) => (isInsert ? { kind: 'exception', ...exception } : null))
  return async () => store.heal()
}

/** Again and again until it is to end. */
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

/** A request with a key that nobody knows. */
export const knock = ({ cluster }: Watched): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`pk-revoked-${Date.now()}:sk`).toString('base64')}`
  return send(cluster, '/v1/traces', exportOf(spanOf('whose')), { authorization })
}

/**
 * Spans whose rows are deleted as soon as they are there: sent again and again, since the audit may be faster than that. Gives what lets them be rows
 * again, by the same keys.
 */
export function vanish({ cluster, command }: Watched): () => Promise<void> {
  const body = exportOf(...Array.from({ length: 5 }, () => spanOf('vanishing')))
  const sendThem = () => send(cluster, '/v1/traces', body, { 'x-svc-ingestion-version': '4' })
  const stops = [
    repeat(async () => {
      for (const table of ['events_full', 'events_core']) await command(`DELETE FROM ${table} WHERE name = 'vanishing'`)
      await sleep(500)
    }),
    repeat(async () => {
      await sendThem()
      await sleep(1_000)
    }),
  ]
  return async () => {
    for (const stop of stops) await stop()
    await sendThem()
  }
}
