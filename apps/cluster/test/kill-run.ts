// Checks that no acknowledged span is lost if the log is on Kafka. The first run has no faults. In the second run, the test kills writers.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, inNightly, waitFor } from '@svc-server/testkit'
import { beforeAll, expect, test } from 'vitest'
import type { TestCluster } from './cluster.ts'
import { expectAccountedFor, expectConserved } from './conserved.ts'
import { createLoad, type Sent, sendLoad } from './load.ts'

export interface KillRuns {
  readonly undisturbed: number
  readonly killed: number
  readonly kills: number
  readonly seed: number
}

export function killRuns(opened: () => TestCluster, { undisturbed, killed, kills, seed }: KillRuns): void {
  let cluster: TestCluster
  let before = { rows: 0, spans: 0 }
  const sent: Sent[] = []
  beforeAll(async () => {
    cluster = opened()
    before = await cluster.rows()
  })

  async function conserved(what: string, sentSeconds: number, startedAt: number): Promise<void> {
    const { acknowledged, rows, sentAgain } = await expectConserved(cluster, sent, before)
    // The test kills no gateway. If no request was sent again, the log contains each span once.
    if (sentAgain === 0) expect(rows).toBe(acknowledged)
    const seconds = (performance.now() - startedAt) / 1000
    await expectAccountedFor(cluster)
    console.info(
      `${what}: acknowledged in ${sentSeconds.toFixed(1)} s, all stored and checked after ${seconds.toFixed(1)} s; so far ` +
        `${acknowledged} spans acknowledged, ${rows} raw rows, ${sentAgain} spans sent again`,
    )
  }

  inNightly(() =>
    test(`${undisturbed} spans at full speed through two gateways and two writers are stored once`, async () => {
      const startedAt = performance.now()
      const run = await sendLoad(cluster.running, { load: createLoad('undisturbed', undisturbed) })
      sent.push(run)
      await conserved(`${undisturbed} spans`, run.seconds, startedAt)
    }, 900_000),
  )

  test(`F06 F07 F09 F21 · ${killed} spans, writers killed -9 ${kills} times and one drained: as many raw rows as acknowledged spans`, async () => {
    const { writers } = cluster.running
    const random = createRandom(seed)
    const [startedAt, rowsBefore] = [performance.now(), (await cluster.rows()).rows]
    const sending = sendLoad(cluster.running, { load: createLoad(`killed ${seed}`, killed) })
    // The test awaits `sending` only after the kills. Without this handler, an earlier failure would be an unhandled rejection.
    sending.catch(() => {})

    const share = Math.floor(killed / (kills + 2))
    const atRandom = async () => {
      const goal = Math.min((await cluster.rows()).rows + random.integer(1, share), rowsBefore + killed - share)
      await waitFor(async () => (await cluster.rows()).rows >= goal, { timeoutMs: 120_000, what: `${goal} rows`, everyMs: 20 })
      await sleep(random.integer(0, 400))
    }
    for (let kill = 0; kill < kills; kill++) {
      await atRandom()
      const writer = writers[random.integer(0, writers.length - 1)]!
      writer.signal('SIGKILL')
      expect(await writer.ended()).toBe('SIGKILL')
      await writer.start()
    }
    await atRandom()
    const [drained] = writers
    expect(await drained!.stop()).toBe(0)
    await drained!.start()

    const run = await sending
    sent.push(run)
    await conserved(`${killed} spans, writers killed ${kills} times, one drained, seed ${seed}`, run.seconds, startedAt)
  }, 900_000)
}
