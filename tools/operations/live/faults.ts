// The faults. Each fault makes one or more alerts fire.
import { setTimeout as sleep } from 'node:timers/promises'
import { openRelationalStore } from '../../../libs/relational/src/store/store.ts'
import { failInserts, knock, notAllowed, operate, repeat, vanish } from './acts.ts'
import { failingHistory } from './backfill-fault.ts'
import { expiredRecords, lostRows, passedAudit, passedWriter } from './retention-faults.ts'
import type { Fault } from './watched.ts'
import { exportOf, refusedName, send, spanOf } from './watched-load.ts'

/**
 * Time for which the column store is unavailable. This time is longer than four minutes, because a chunk is late only if it is stored more
 * than four minutes after the acknowledgement of its spans.
 */
const lateMs = 255_000

export const faults: readonly Fault[] = [
  {
    what: 'a row that the column store refuses to insert',
    alerts: ['SvcDeadLetters'],
    async begin({ cluster, command }) {
      await command(`ALTER TABLE events_full ADD CONSTRAINT refused CHECK name != '${refusedName}'`)
      await send(cluster, '/v1/traces', exportOf(spanOf(refusedName)), { 'x-svc-ingestion-version': '4' })
      return () => command('ALTER TABLE events_full DROP CONSTRAINT refused')
    },
  },
  {
    what: 'dead letters that an operator purges',
    alerts: ['SvcDeadLettersDropped'],
    async begin(watched) {
      await operate(watched, 'dead-letter', 'purge', '--all', '--yes')
      return undefined
    },
  },
  {
    what: 'many requests with invalid keys',
    alerts: ['SvcKeysRefused'],
    begin: async watched =>
      repeat(async () => {
        await knock(watched)
        await sleep(100)
      }),
  },
  {
    what: 'a renamed table in the relational store',
    alerts: ['SvcDefect'],
    async begin(watched) {
      const { db, close } = await openRelationalStore({ kind: 'postgres', url: watched.cluster.running.operatorEnv['DATABASE_URL']! })
      const [name, elsewhere] = ['api_keys', 'api_keys_of_another_release']
      await db.schema.alterTable(name).renameTo(elsewhere).execute()
      const stop = repeat(async () => {
        await knock(watched)
        await sleep(500)
      })
      return async () => {
        await stop()
        await db.schema.alterTable(elsewhere).renameTo(name).execute()
        await close()
      }
    },
  },
  {
    what: 'a certificate that expires soon, and then a key file that does not match this certificate',
    alerts: ['SvcCertificateExpires', 'SvcCertificateExpired', 'SvcCertificateUnusable'],
    async begin({ side }) {
      side.certify(100, 1)
      await sleep(5_000)
      side.breakKey()
      return async () => side.certify(1, 90)
    },
  },
  {
    what: 'a process that is killed repeatedly',
    alerts: ['SvcRestartLoop'],
    async begin({ side }) {
      return repeat(async () => {
        side.process.signal('SIGKILL')
        await side.process.ended()
        await side.process.start()
        await sleep(2_500)
      })
    },
  },
  {
    what: 'a process that is suspended repeatedly',
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
    what: 'rows that are deleted from the tables after the writer stored them',
    alerts: ['SvcSpansUnaccounted'],
    begin: async watched => vanish(watched),
  },
  lostRows,
  passedAudit,
  expiredRecords,
  passedWriter,
  {
    what: 'a broker that is suspended',
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
    what: 'a column store that denies inserts',
    alerts: ['SvcPartitionHalted'],
    begin: async ({ columnStore }) => failInserts(columnStore, notAllowed),
  },
  {
    what: 'a writer that is suspended',
    alerts: ['SvcCanaryBurn'],
    async begin({ cluster }) {
      const [writer] = cluster.running.writers
      writer!.signal('SIGSTOP')
      return async () => writer!.signal('SIGCONT')
    },
  },
  {
    what: 'a column store that is unavailable for minutes',
    alerts: ['SvcWriterBehind', 'SvcNoProgress', 'SvcAuditSilent', 'SvcCompletenessBurn', 'SvcCanaryBurn'],
    afterwards: ['SvcFreshnessBurn'],
    async begin({ columnStore }) {
      const beganAt = performance.now()
      columnStore.onRequest(() => ({ kind: 'refuse' }))
      return async () => {
        await sleep(Math.max(0, beganAt + lateMs - performance.now()))
        columnStore.heal()
      }
    },
  },
  failingHistory,
]
