import { anonymousMB } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { besideEngineBytes } from '../src/start-engine.ts'
import { startTestEngine } from './engine.ts'

const MiB = 1024 ** 2

/** Each of these statements takes all memory that it can get. */
const greedy = [
  'SELECT length(groupArray(randomString(1000))) FROM numbers(10000000)',
  "SELECT repeat('x', 1000) FROM numbers(480000) FORMAT TSV",
  'SELECT groupArray(number) FROM numbers(200000000) GROUP BY number % 2 FORMAT Null',
]

test('six memory-hungry statements at a time, of each kind in turn, stay below the memory limit of the process', async () => {
  const memoryLimitBytes = besideEngineBytes + 1024 * MiB
  await using it = await startTestEngine({ memoryLimitBytes })
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, anonymousMB(it.engine.pid!))), 50)
  for (const sql of greedy) await Promise.all(Array.from({ length: 6 }, () => it.post(sql).catch(() => null)))
  clearInterval(timer)
  expect(most).toBeLessThan(memoryLimitBytes / MiB)
  expect((await it.post('SELECT 1')).text).toBe('1\n')
})
