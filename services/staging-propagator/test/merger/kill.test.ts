// kill -9 at random points of whole processes, with losses of the local state between them. What they leave behind must be what merging everything at once makes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { isEntity } from '@svc-server/schema/entity'
import { createRandom, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, expect, test } from 'vitest'
import { readTopic } from '../published.ts'
import { mergerKillTopics } from './kill-plan.ts'
import { expectedTables, publishedTables } from './tables.ts'

const program = fileURLToPath(new URL('./kill-child.ts', import.meta.url))
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

function start(directory: string, seed: string, records: number, mode: 'run' | 'finish') {
  const child = spawn(process.execPath, [program, directory, seed, String(records), mode], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  const said: string[] = []
  const started = Promise.withResolvers<void>()
  const lines = createInterface({ input: child.stdout! }).on('line', line => {
    said.push(line)
    if (line === 'started') started.resolve()
  })
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => {
    children.delete(child)
    started.reject(new Error(`The process ended before it had started: ${said.join('\n')}`))
    return said
  })
  started.promise.catch(() => {})
  return { child, ended, started: started.promise }
}

test.for(['first', 'second'])('F23 · killed -9 six times: %s', { timeout: 600_000 }, async seed => {
  await using directory = await temporaryDirectory('svc-merger-kill-')
  const random = createRandom(`${seed} kills`)
  const records = 400
  for (let kill = 0; kill < 6; kill++) {
    const { child, ended, started } = start(directory.path, seed, records, 'run')
    await started
    // The point of the kill is what is random about it; nothing is waited for.
    await sleep(random.integer(20, 500))
    child.kill('SIGKILL')
    const said = await ended
    if (child.signalCode !== 'SIGKILL') throw new Error(`It ended by itself: ${said.join('\n')}`)
    if (random.next() < 0.3) rmSync(join(directory.path, 'state'), { recursive: true, force: true })
  }
  const said = await start(directory.path, seed, records, 'finish').ended
  expect(said.at(-1)).toBe('settled')

  const log = await openEmbeddedLog({ directory: join(directory.path, 'log'), topics: mergerKillTopics })
  const topics = ['ingestion', 'spans.direct', 'spans.overflow', 'spans.staging'] as const
  const inputs = (await Promise.all(topics.map(topic => readTopic(log, topic)))).flat()
  const entities = await readTopic(log, topicNames.entities)
  await log.close()
  const isStaged = ({ value }: { readonly value: Uint8Array | null }) => value !== null && isEntity(value)
  const published = publishedTables(entities, inputs.filter(isStaged))
  const expected = expectedTables(
    inputs.filter(record => !isStaged(record)),
    new Map(),
    true,
  )
  expect(inputs.filter(record => !isStaged(record)).length).toBeGreaterThanOrEqual(records)
  expect(published.old.live()).toEqual(expected.old.live())
  expect(published.events.live()).toEqual(expected.events.live())
})
