// Two propagators in separate processes share the partitions of a real broker. When a test kills one propagator, the other propagator takes
// over its partitions.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type SharedKafka, sharedKafka } from '@svc-server/dev-servers/shared-kafka'
import type { EventLog } from '@svc-server/log'
import { openKafkaLog } from '@svc-server/log/kafka'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import { createRandom, sized, type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlan } from './kill-plan.ts'
import { fillProblems } from './model.ts'
import { problemsOf, readPublished, repairsOf } from './published.ts'
import { newRecord, type StagedRecord } from './staged.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const partitions = 4
const kills = sized(5, 1)

let cluster: SharedKafka
let directory: TemporaryDirectory
let log: EventLog
const prefix = `t${randomUUID()}.`
const children = new Map<string, ChildProcess>()

beforeAll(async () => {
  directory = await temporaryDirectory('svc-propagator-kafka-')
  cluster = await sharedKafka()
  const topics = topicSpecs({
    embedded: false,
    enabledReaders: [groupNames.propagator],
    partitions: { staging: partitions },
  })
  log = await openKafkaLog({ brokers: cluster.brokers, topics, prefix })
}, 600_000)
afterAll(async () => {
  for (const child of children.values()) child.kill('SIGKILL')
  await log?.close()
  await cluster?.stop()
  await directory?.remove()
})

function start(name: string): void {
  const env = {
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    SVC_KAFKA_BROKERS: cluster.brokers.join(','),
    SVC_KAFKA_SESSION_TIMEOUT_MS: '6000',
    SVC_TOPIC_PREFIX: prefix,
    SVC_TOPIC_PARTITIONS_STAGING: String(partitions),
    SVC_DATA_DIR: join(directory.path, name),
    SVC_WORKER_PORT: '0',
    SVC_PROPAGATION_WINDOW_SECONDS: '1',
    SVC_PROPAGATION_GRACE_MS: '100',
    // No server listens on this port. The propagator needs no column store to close its windows.
    COLUMNSTORE_URL: 'http://127.0.0.1:9',
    COLUMNSTORE_PASSWORD: 'unused',
    SVC_LOG_LEVEL: 'fatal',
  }
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'ignore', 'inherit'], env })
  children.set(name, child)
}

async function kill(name: string): Promise<void> {
  const child = children.get(name)!
  expect([child.exitCode, child.signalCode], 'it lives until it is killed').toEqual([null, null])
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function stage(records: readonly StagedRecord[], everyMs: number): Promise<void> {
  for (let from = 0; from < records.length; from += 8) {
    await log.append(topicNames.staging, records.slice(from, from + 8).map(newRecord))
    await sleep(everyMs)
  }
}

const settled = () =>
  waitFor(async () => (await log.lag()).every(({ group, lagRecords }) => group !== groupNames.propagator || lagRecords === 0), {
    what: 'everything staged to be published',
    timeoutMs: 120_000,
    everyMs: 100,
  })

test(`F19 F20 F23 · two replicas on Kafka, killed -9 (${kills}), frozen, and one never restarted: the survivor continues, and every span is filled once`, {
  timeout: 400_000,
}, async () => {
  const random = createRandom('kafka')
  const plan = createPlan('kafka')
  const [untilFrozen, untilGone] = [Math.floor(plan.length * 0.7), Math.floor(plan.length * 0.85)]
  const names = ['one', 'two']
  for (const name of names) start(name)

  const staging = stage(plan.slice(0, untilFrozen), 80)
  for (let number = 0; number < kills; number++) {
    await sleep(random.integer(500, 3_500))
    const name = random.pick(names)
    await kill(name)
    start(name)
  }
  await staging
  await settled()

  // Freezes a propagator until its session on the broker has expired. The other propagator then takes over the partitions. When the frozen
  // propagator continues, the broker refuses its commits.
  const inTheFreeze = stage(plan.slice(untilFrozen, untilGone), 20)
  await sleep(random.integer(200, 800))
  children.get('two')!.kill('SIGSTOP')
  await inTheFreeze
  await settled()
  children.get('two')!.kill('SIGCONT')

  const last = stage(plan.slice(untilGone), 20)
  await sleep(random.integer(200, 800))
  await kill('one')
  await last
  await settled()
  expect(children.get('two')!.exitCode).toBeNull()

  const published = await readPublished(log)
  expect(published.staging.length).toBe(plan.length)
  expect(problemsOf(published)).toEqual([])
  expect(fillProblems(plan, published.spans)).toEqual([])
  expect(repairsOf(published).length).toBeGreaterThan(0)
  // Every partition has published windows. No partition stayed with a process that had ended.
  expect(new Set(published.ledger.map(({ partition }) => partition)).size).toBe(partitions)
})
