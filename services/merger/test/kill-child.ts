// The tests kill this process. It runs an embedded log, a merger, and a client that appends the records of a plan.

import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { nothingDenied } from '@svc-server/deletions/denials'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames } from '@svc-server/modes/names'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { waitFor } from '@svc-server/testkit'
import { createMerger } from '../src/app.ts'
import { noOlderRows } from '../src/older-rows.ts'
import { createMergerPlan, mergerKillTopics } from './kill-plan.ts'
import { testConfig } from './world.ts'

const [directory, seed, records, mode] = process.argv.slice(2) as [string, string, string, 'run' | 'finish']
const say = (line: string) => writeSync(1, `${line}\n`)
const plan = createMergerPlan(seed, Number(records))
const log = await openEmbeddedLog({ directory: join(directory, 'log'), topics: mergerKillTopics })
const merger = createMerger(
  // Chunks are small, so that every kill interrupts the work on a chunk.
  { ...testConfig, writeMode: 'dual', chunkBytes: 1500, readBytes: 4000 },
  {
    log,
    directory: join(directory, 'state'),
    older: noOlderRows,
    denials: nothingDenied,
    logger: createLogger({ service: 'test', level: 'error' }),
    metrics: createMetricRegistry({ runtime: false }),
    health: createHealth(),
    clock: Date.now,
    onBug: error => {
      say(`bug ${error instanceof Error ? error.stack : String(error)}`)
      process.exit(2)
    },
  },
)
await merger.start()
say('started')

// After a kill, the client may append a record again. This is harmless, because merging is idempotent.
const noted = join(directory, 'appended')
const appended = (): number => {
  try {
    return Number(readFileSync(noted, 'utf8'))
  } catch {
    return 0
  }
}
for (let from = appended(); from < plan.length; from++) {
  const { topic, record } = plan[from]!
  await log.append(topic, [record])
  writeFileSync(noted, String(from + 1))
  if (mode === 'run') await new Promise(resolve => setTimeout(resolve, 3))
}
const isSettled = async () => (await log.lag()).every(({ group, lagRecords }) => group !== groupNames.merger || lagRecords === 0)
await waitFor(isSettled, { what: 'everything to be merged', timeoutMs: 120_000, everyMs: 20 })
if (mode === 'finish') {
  await merger.drain()
  await log.close()
  say('settled')
}
