// The tests kill this process with kill -9. It runs an embedded log with a propagator, and a client that stages the records of a plan.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { waitFor } from '@svc-server/testkit'
import { createStagingPropagator } from '../src/app.ts'
import { createPlan, killConfig, killTopics } from './kill-plan.ts'
import { newRecord } from './staged.ts'

const [directory, seed, traces, mode] = process.argv.slice(2) as [string, string, string, 'run' | 'finish']
const say = (line: string) => writeSync(1, `${line}\n`)
const plan = createPlan(seed, Number(traces))
const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics: killTopics })
const propagator = createStagingPropagator(killConfig, {
  log,
  directory: join(directory, 'state'),
  logger: createLogger({ service: 'test', level: 'error' }),
  metrics: createMetricRegistry({ runtime: false }),
  health: createHealth(),
  clock: Date.now,
  onBug: error => {
    say(`bug ${error instanceof Error ? error.stack : String(error)}`)
    process.exit(2)
  },
})
await propagator.start()
say('started')

// The number of staged records shows how far the client is in its plan.
const staging = (await log.describe()).find(({ spec }) => spec.name === topicNames.staging)!
const staged = staging.partitions.reduce((sum, { highWatermark }) => sum + highWatermark, 0)
const perAppend = 4
const pauseMs = mode === 'run' ? 12 : 1
for (let from = staged; from < plan.length; from += perAppend) {
  await log.append(topicNames.staging, plan.slice(from, from + perAppend).map(newRecord))
  await new Promise(resolve => setTimeout(resolve, pauseMs))
}
const isSettled = async () => (await log.lag()).every(({ group, lagRecords }) => group !== groupNames.propagator || lagRecords === 0)
await waitFor(isSettled, { what: 'everything staged to be published', timeoutMs: 120_000, everyMs: 20 })
if (mode === 'finish') {
  await propagator.drain()
  await log.close()
  say('settled')
}
