// A writer that is frozen in the middle of its work for longer than its session, and wakes up believing that it owns its partitions.
import { waitFor } from '@svc-server/testkit'
import { expect } from 'vitest'
import { openTestCluster } from './cluster.ts'
import { expectConserved } from './conserved.ts'
import { createLoad, sendLoad } from './load.ts'

const stepMs = 90_000

/** `frozenMs`: at least so long; in any case until another writer has its partitions and has stored what it left. */
export async function zombieRun(spans: number, frozenMs: number): Promise<void> {
  // Small chunks, so that it is frozen with one at work and others behind it.
  const cluster = await openTestCluster({ SVC_WRITER_CHUNK_MAX_ROWS: '1000', SVC_WRITER_FETCH_MAX_BYTES: '1MiB', SVC_LOG_LEVEL: 'info' })
  try {
    const { running } = cluster
    const [zombie, other] = running.writers
    const chunks = (outcome: string, probeUrl: string) => cluster.metric(`svc_writer_chunks_total{outcome="${outcome}"`, [probeUrl])
    const outcomes = async () => ({
      acknowledged: await chunks('acknowledged', zombie!.probeUrl),
      // Refused by the group, or given up because its insert or its membership had ended while it was away.
      dropped: (await chunks('fenced', zombie!.probeUrl)) + (await chunks('deferred', zombie!.probeUrl)),
    })
    let ownBefore = { acknowledged: 0, dropped: 0 }
    const sending = sendLoad(running, { load: createLoad('zombie', spans) })
    sending.catch(() => {})
    await waitFor(async () => (await chunks('acknowledged', zombie!.probeUrl)) >= 3, {
      timeoutMs: stepMs,
      what: 'the writer to be at work',
    })
    // While the engine does not answer nothing is finished, so a block that was made is under way: the writer is frozen in its insert, which
    // the engine gets all the same.
    const engine = running.stores.engine!.pid!
    process.kill(engine, 'SIGSTOP')
    try {
      const underWay = async () =>
        (await cluster.metric('svc_writer_encode_seconds_count', [zombie!.probeUrl])) - (await chunks('acknowledged', zombie!.probeUrl))
      let before = 0
      await waitFor(
        async () => {
          const now = await underWay()
          const same = now > 0 && now === before
          before = now
          return same
        },
        { timeoutMs: stepMs, what: 'an insert that waits for the engine', everyMs: 500 },
      )
      ownBefore = await outcomes()
      zombie!.signal('SIGSTOP')
    } finally {
      process.kill(engine, 'SIGCONT')
    }
    const frozenAt = performance.now()
    const sent = await sending
    await waitFor(async () => (await cluster.rows()).spans >= sent.identities.size && performance.now() - frozenAt >= frozenMs, {
      timeoutMs: frozenMs + stepMs,
      what: 'the other writer to have stored it all',
      everyMs: 250,
    })
    const [before, frozenSeconds] = [await cluster.rows(), (performance.now() - frozenAt) / 1000]
    const linesBefore = cluster.lines.length
    zombie!.signal('SIGCONT')
    const own = () => cluster.lines.slice(linesBefore).filter(line => line.startsWith(zombie!.name))
    await waitFor(async () => (await outcomes()).dropped > ownBefore.dropped, {
      timeoutMs: stepMs,
      what: 'it to drop the chunk that is no longer its own',
      everyMs: 100,
    }).catch((cause: unknown) => {
      throw new Error(own().join('\n'), { cause })
    })
    // The other one has finished what was under way here: nothing of it may be acknowledged a second time.
    expect((await outcomes()).acknowledged).toBe(ownBefore.acknowledged)
    const fenced = await chunks('fenced', zombie!.probeUrl)

    // It joins again and works with the other one.
    const more = await sendLoad(running, { load: createLoad('after the zombie', 10_000) })
    const conserved = await expectConserved(cluster, [sent, more])
    if (conserved.sentAgain === 0) expect(conserved.rows).toBe(conserved.acknowledged)
    expect([zombie!.running, other!.running]).toEqual([true, true])
    console.info(
      `F20: frozen for ${frozenSeconds.toFixed(1)} s, ${before.rows} rows before it woke, ${fenced} chunks fenced; ${JSON.stringify(conserved)}\n${own().slice(0, 8).join('\n')}`,
    )
  } finally {
    await cluster.close()
  }
}
