// A writer freezes between its inserts and its commit, until its session has timed out. When the writer continues, it still behaves like
// the owner of its chunk. To freeze the writer before the commit, a proxy withholds the column store's response to the chunk's last insert.
import { join } from 'node:path'
import { startEngine } from '@svc-server/embedded-engine'
import { createColumnStoreProxy, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { expect } from 'vitest'
import type { ServiceProcess } from '../src/service-process.ts'
import { openTestCluster } from './cluster.ts'
import { expectConserved } from './conserved.ts'
import { createLoad, sendLoad } from './load.ts'

const stepMs = 90_000
const password = 'a-password-for-tests'

const settings = {
  COLUMNSTORE_PASSWORD: password,
  // With a shorter timeout, the request to the column store would fail before the group refuses the commit.
  COLUMNSTORE_REQUEST_TIMEOUT_MS: '10m',
  SVC_KAFKA_SESSION_TIMEOUT_MS: '6s',
  SVC_WRITER_CONCURRENCY: '1',
  SVC_WRITER_CHUNK_MAX_ROWS: '1000',
  SVC_WRITER_FETCH_MAX_BYTES: '1MiB',
  SVC_LOG_LEVEL: 'info',
}

/** The writer stays frozen for at least `frozenMs`, and until another writer has stored all spans. */
export async function zombieRun(spans: number, frozenMs: number): Promise<void> {
  await using directory = await temporaryDirectory('svc-zombie-')
  const engine = await startEngine({ dataDir: join(directory.path, 'column-store'), port: 0, user: 'svc', database: 'svc', password })
  try {
    await using proxy = await createColumnStoreProxy(engine.url)
    const cluster = await openTestCluster({ ...settings, COLUMNSTORE_URL: proxy.url })
    const { running, lines } = cluster
    const [zombie, other] = running.writers as [ServiceProcess, ServiceProcess]
    const answer = Promise.withResolvers<void>()
    try {
      const metric = (name: string, { probeUrl }: ServiceProcess) => cluster.metric(`svc_writer_${name}`, [probeUrl])
      const chunks = (outcome: string) => metric(`chunks_total{outcome="${outcome}"`, zombie)
      const stored = (writer: ServiceProcess) => metric('spans_total{outcome="stored"', writer)
      const ledgerRows = async () => Number((await cluster.query<{ n: string }>('SELECT count() AS n FROM ingest_ledger'))[0]!.n)

      expect(await other.stop()).toBe(0)
      const first = await sendLoad(running, { load: createLoad('before the freeze', 2_000) })
      await waitFor(async () => (await stored(zombie)) >= first.identities.size, { timeoutMs: stepMs, what: 'the writer to be at work' })

      const rowsBefore = await ledgerRows()
      let isHeld = false
      proxy.onRequest(({ table, query }) => {
        if (isHeld || table !== 'ingest_ledger' || !query.includes('/spans.direct/')) return null
        isHeld = true
        return { kind: 'delay-answer', until: answer.promise }
      })
      const second = await sendLoad(running, { load: createLoad('zombie', spans) })
      // A writer inserts the chunk's ledger row directly before the commit. The proxy withholds the response to this insert.
      await waitFor(async () => isHeld && (await ledgerRows()) > rowsBefore, { timeoutMs: stepMs, what: 'a chunk without its commit' })
      const own = { stored: await stored(zombie), acknowledged: await chunks('acknowledged') }
      // If a request was sent twice, the log can contain its spans twice.
      const atMost = first.identities.size + first.sentAgain
      expect([own.stored >= first.identities.size, own.stored <= atMost], `${own.stored} of ${atMost}`).toEqual([true, true])
      zombie.signal('SIGSTOP')
      const frozenAt = performance.now()

      await other.start()
      const total = first.identities.size + second.identities.size
      const isDone = async () => (await stored(other)) >= total - own.stored && performance.now() - frozenAt >= frozenMs
      await waitFor(isDone, { timeoutMs: frozenMs + stepMs, what: 'the other writer to have stored it all', everyMs: 250 })
      expect(await metric('intent_replayed_total', other)).toBe(1)
      expect(await metric('reinserted_rows_total', other)).toBe(0)
      if (first.sentAgain + second.sentAgain === 0) expect(await cluster.rows()).toEqual({ rows: total, spans: total })

      const linesBefore = lines.length
      const frozenSeconds = (performance.now() - frozenAt) / 1000
      answer.resolve()
      zombie.signal('SIGCONT')
      await waitFor(async () => (await chunks('fenced')) > 0, { timeoutMs: stepMs, what: 'its commit to be refused', everyMs: 50 })
      expect({ fenced: await chunks('fenced'), acknowledged: await chunks('acknowledged'), stored: await stored(zombie) }).toEqual({
        fenced: 1,
        ...own,
      })
      const said = lines.slice(linesBefore).filter(line => line.startsWith(zombie.name) && line.includes('this process drops its chunk'))
      expect(said).toHaveLength(1)
      // The text in parentheses is the error message with which the brokers refuse the commit.
      expect(said[0]).toMatch(/cannot be committed: this member no longer owns it \(The coordinator is not aware of this member\)/)

      const third = await sendLoad(running, { load: createLoad('after the zombie', spans / 2) })
      const conserved = await expectConserved(cluster, [first, second, third])
      if (conserved.sentAgain === 0) expect(conserved.rows).toBe(conserved.acknowledged)
      expect([zombie.running, other.running]).toEqual([true, true])
      console.info(`F20: frozen for ${frozenSeconds.toFixed(1)} s, then fenced once; ${JSON.stringify(conserved)}\n${said[0]}`)
    } finally {
      answer.resolve()
      zombie.signal('SIGCONT')
      await cluster.close()
    }
  } finally {
    await engine.stop()
  }
}
