// Upgrades a cluster from an older release to the current sources, while clients send data. In this older release, the propagators also
// merge the data for the tables of v3. The test starts in write mode `dual`, replaces each process, and adds a merger. At the end, the test
// switches to `events_only`.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import type { ServiceProcess } from '../src/service-process.ts'
import { kinds } from '../src/services.ts'
import { openTestCluster } from './cluster.ts'
import { openReleaseBefore } from './older-release.ts'
import { createClient } from './walk/client.ts'
import { command, diagnosisIn } from './walk/operator.ts'
import { createProcesses, startVariables } from './walk/processes.ts'
import { storedIn, untouched } from './walk/tables.ts'
import { startTraffic } from './walk/traffic.ts'

const folderOf: Readonly<Record<string, string>> = {
  writer: 'events-writer',
  propagator: 'staging-propagator',
  merger: 'merger',
  gateway: 'otlp-gateway',
  api: 'public-api',
  backfill: 'backfill-runner',
}
const stepMs = 5_000

const settings = {
  ...startVariables('dual'),
  SVC_CLUSTER_PROPAGATORS: '2',
  SVC_PROPAGATION_WINDOW_SECONDS: '2',
  SVC_PROPAGATION_GRACE_MS: '500',
  SVC_KAFKA_SESSION_TIMEOUT_MS: '6000',
}

test('from merging propagators to a separate merger, and over to events_only: no accepted data is lost or stored twice', async () => {
  const older = await openReleaseBefore('services/merger/package.json')
  const cluster = await openTestCluster(settings, { programs: ({ name }) => older.program(`services/${folderOf[name]}/src/main.ts`) })
  try {
    const { running } = cluster
    const { writers, propagators, mergers, apis, gateways, backfillRunners } = running
    expect(mergers.map(each => each.running)).toEqual([false])
    const processes = createProcesses(running, 'dual', [mergers])
    const traffic = startTraffic(running, createClient(running, processes), null)

    async function upgraded(each: ServiceProcess, kind: string): Promise<void> {
      const acceptedBefore = traffic.accepted.length
      await each.stop()
      await each.start({}, kinds.find(({ name }) => name === kind)!.script)
      await waitFor(() => traffic.accepted.length > acceptedBefore + 20, {
        what: `clients to be served beside ${each.name}`,
      })
    }
    async function nothingLost(after: string): Promise<void> {
      await traffic.pause()
      expect(traffic.broken, after).toEqual([])
      await command(cluster, 'check', '--wait', '180')
      const problems = async () => {
        const stored = await storedIn(cluster)
        return [...stored.missing({ accepted: traffic.accepted, ...untouched }), ...stored.twice]
      }
      await waitFor(async () => (await problems()).length === 0, { what: 'all rows', timeoutMs: 120_000, everyMs: 1_000 }).catch(
        () => undefined,
      )
      expect(await problems(), after).toEqual([])
    }

    await sleep(stepMs)
    // The test upgrades consumers before gateways. The merger joins the consumer group while a propagator of the older release is still a
    // member.
    for (const each of writers) await upgraded(each, 'writer')
    await upgraded(propagators[0]!, 'propagator')
    for (const each of mergers) await upgraded(each, 'merger')
    await upgraded(propagators[1]!, 'propagator')
    for (const each of apis) await upgraded(each, 'api')
    for (const each of gateways) await upgraded(each, 'gateway')
    for (const each of backfillRunners) await upgraded(each, 'backfill')
    await nothingLost('after the upgrade')

    traffic.resume()
    await processes.switchTo('events_only')
    await sleep(stepMs)
    await nothingLost('after the cutover')
    const modes = new Set(traffic.accepted.map(({ mode }) => mode))
    expect([modes.has('dual'), modes.has('events_only')]).toEqual([true, true])
    await waitFor(async () => (await diagnosisIn('events_only', cluster)).includes('The merger has merged everything'), {
      ...{ what: 'svc doctor to report that the merger can be removed', timeoutMs: 120_000, everyMs: 2_000 },
    })
  } finally {
    await cluster.close()
    await older.remove()
  }
}, 1_800_000)
