// Faults by which alerts are made to fire.
import { setTimeout as sleep } from 'node:timers/promises'
import { runScript } from '../../../apps/cluster/test/cluster.ts'
import type { ColumnStoreProxy } from '../../../libs/testkit/src/index.ts'
import type { Fault, Watched } from './watched.ts'
import { exportOf, refusedName, send, spanOf } from './watched-load.ts'

const svc = new URL('../../../apps/svc/src/main.ts', import.meta.url).href

async function operate({ cluster }: Watched, ...argv: readonly string[]): Promise<void> {
  const { code, out, error } = await runScript(svc, cluster.running.operatorEnv, ...argv)
  if (code !== 0) throw new Error(out + error)
}

async function failInserts(
  store: ColumnStoreProxy,
  exception: { code: number; type: string; message: string },
): Promise<() => Promise<void>> {
  store.onRequest(({ isInsert }) => (isInsert ? { kind: 'exception', ...exception } : null))
  return async () => store.heal()
}

/** Again and again until it is to end. */
function repeat(work: () => Promise<void>): () => Promise<void> {
  let isOver = false
  const working = (async () => {
    while (!isOver) await work()
  })()
  return async () => {
    isOver = true
    await working
  }
}

export const faults: readonly Fault[] = [
  {
    what: 'a row that the column store refuses',
    alerts: ['SvcDeadLetters'],
    async begin({ cluster, command }) {
      await command(`ALTER TABLE events_full ADD CONSTRAINT refused CHECK name != '${refusedName}'`)
      await send(cluster, '/v1/traces', exportOf(spanOf(refusedName)), { 'x-svc-ingestion-version': '4' })
      return () => command('ALTER TABLE events_full DROP CONSTRAINT refused')
    },
  },
  {
    what: 'dead letters purged by hand',
    alerts: ['SvcDeadLettersDropped'],
    async begin(watched) {
      await operate(watched, 'dead-letter', 'purge', '--all', '--yes')
      return undefined
    },
  },
  {
    what: 'a flood of keys that do not work',
    alerts: ['SvcKeysRefused'],
    begin: async ({ cluster }) =>
      repeat(async () => {
        const authorization = `Basic ${Buffer.from(`pk-revoked-${Date.now()}:sk`).toString('base64')}`
        await send(cluster, '/v1/traces', exportOf(spanOf('whose')), { authorization })
        await sleep(100)
      }),
  },
  {
    what: 'a certificate near its end, then a key that is none of its own',
    alerts: ['SvcCertificateExpires', 'SvcCertificateExpired', 'SvcCertificateUnusable'],
    async begin({ side }) {
      side.certify(100, 1)
      await sleep(5_000)
      side.breakKey()
      return async () => side.certify(1, 90)
    },
  },
  {
    what: 'a process that is killed again and again',
    alerts: ['SvcRestartLoop'],
    async begin({ side }) {
      return repeat(async () => {
        side.process.signal('SIGKILL')
        await side.process.ended()
        await side.process.start()
        // Long enough to be scraped.
        await sleep(2_500)
      })
    },
  },
  {
    what: 'a process that is held up again and again',
    alerts: ['SvcEventLoopLate'],
    begin: async ({ side }) =>
      repeat(async () => {
        side.process.signal('SIGSTOP')
        await sleep(900)
        side.process.signal('SIGCONT')
        await sleep(100)
      }),
  },
  {
    what: 'rows that go behind the writer’s back',
    alerts: ['SvcSpansUnaccounted'],
    async begin({ cluster, command }) {
      const body = exportOf(...Array.from({ length: 5 }, () => spanOf('vanishing')))
      const sendThem = () => send(cluster, '/v1/traces', body, { 'x-svc-ingestion-version': '4' })
      const stop = repeat(async () => {
        for (const table of ['events_full', 'events_core']) await command(`DELETE FROM ${table} WHERE name = 'vanishing'`)
        await sleep(200)
      })
      await sendThem()
      return async () => {
        await stop()
        // They are rows again, by the same keys.
        await sendThem()
      }
    },
  },
  {
    what: 'a broker that stands still',
    alerts: ['SvcSpansRefused', 'SvcAvailabilityBurn'],
    async begin({ cluster }) {
      const kafka = cluster.running.stores.kafka!
      kafka.pause(0)
      return async () => kafka.resume(0)
    },
  },
  {
    what: 'a column store with too many parts',
    alerts: ['SvcInsertsFail', 'SvcColumnStoreOverloaded'],
    begin: async ({ columnStore }) => failInserts(columnStore, { code: 252, type: 'TOO_MANY_PARTS', message: 'Too many parts' }),
  },
  {
    what: 'a column store that lets nobody insert',
    alerts: ['SvcPartitionHalted'],
    begin: async ({ columnStore }) => failInserts(columnStore, { code: 497, type: 'ACCESS_DENIED', message: 'Not enough privileges' }),
  },
  {
    what: 'a column store that is away for minutes',
    alerts: ['SvcWriterBehind', 'SvcNoProgress', 'SvcAuditSilent', 'SvcCompletenessBurn', 'SvcCanaryBurn'],
    async begin({ columnStore }) {
      columnStore.onRequest(() => ({ kind: 'refuse' }))
      return async () => columnStore.heal()
    },
  },
]
