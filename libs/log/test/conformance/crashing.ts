// After kill -9, the log still has all acknowledged records in order. A commit is either complete, with all records and the offset, or
// missing.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sized } from '@svc-server/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import type { TopicSpec } from '../../src/port.ts'
import type { LogAdapter, LogStore } from './adapter.ts'
import { readAll, text, topic, useLogs } from './harness.ts'

const rounds = sized(6, 2)
const program = fileURLToPath(new URL('./crashing-child.ts', import.meta.url))

export const crashing = (adapter: LogAdapter) =>
  describe(`event log, kill -9: ${adapter.name}`, () => {
    const fixture = useLogs(adapter)
    const children: ChildProcess[] = []
    afterEach(() => {
      for (const child of children.splice(0)) child.kill('SIGKILL')
    })

    const runAndKill = async (
      store: LogStore,
      work: 'append' | 'commit',
      topics: readonly TopicSpec[],
      lines: number,
    ): Promise<string[]> => {
      const child = spawn(process.execPath, [program, work, store.child.module, store.child.argument, JSON.stringify(topics)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      const said: string[] = []
      for await (const line of createInterface({ input: child.stdout! })) {
        said.push(line)
        if (said.length === lines) child.kill('SIGKILL')
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      expect(child.signalCode).toBe('SIGKILL')
      return said
    }

    test('every acknowledged record survives at its acknowledged position, in order', async () => {
      const topics = [topic({ partitions: 3 })]
      const store = await fixture.store()
      const acknowledged = new Map<string, string>()
      for (let round = 0; round < rounds; round++) {
        for (const line of await runAndKill(store, 'append', topics, 20 + Math.floor(Math.random() * 300))) {
          const [partition, offset, value] = line.split(' ')
          // A line without a period was truncated by the kill.
          if (value?.endsWith('.')) acknowledged.set(`${partition}/${offset}`, value)
        }
        const log = await store.open(topics)
        let found = 0
        for (const partition of [0, 1, 2]) {
          const records = await readAll(log, 'spans', partition)
          expect(records.map(({ offset }) => offset)).toEqual(records.map((_, i) => i))
          const lastOfProducer = new Map<string, number>()
          for (const { offset, value } of records) {
            const label = text(value)!.slice(0, text(value)!.indexOf('.') + 1)
            const [producer, number] = label.slice(0, -1).split('#')
            expect(Number(number)).toBeGreaterThan(lastOfProducer.get(producer!) ?? -1)
            lastOfProducer.set(producer!, Number(number))
            const promised = acknowledged.get(`${partition}/${offset}`)
            if (promised === undefined) continue
            expect(label).toBe(promised)
            found++
          }
        }
        expect(found).toBe(acknowledged.size)
        await log.close()
      }
      expect(acknowledged.size).toBeGreaterThan(rounds * 15)
    })

    test('F07 · records and offset of one commit survive together or not at all, with their metadata', async () => {
      const topics = [topic(), topic({ name: 'filled' })]
      const store = await fixture.store()
      for (let round = 0; round < rounds; round++) {
        await runAndKill(store, 'commit', topics, 5 + Math.floor(Math.random() * 60))
        const log = await store.open(topics)
        const committed = (await log.committed('group', 'spans')).get(0)!
        const filled = await readAll(log, 'filled', 0)
        expect(filled.map(({ value }) => text(value))).toEqual(Array.from({ length: committed.offset }, (_, i) => `filled ${i}`))
        expect(committed.metadata).toBe(`up to ${committed.offset}`)
        await log.close()
      }
    })
  })
