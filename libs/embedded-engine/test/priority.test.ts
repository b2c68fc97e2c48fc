import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { startTestEngine } from './engine.ts'

/**
 * Returns the nice values of the threads. The function leaves out the engine's memory worker, because this worker sets its own nice value.
 */
function niceValues(pid: number): Set<number> {
  const values = new Set<number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim()
      if (name !== 'MemoryWorker') values.add(getPriority(Number(thread)))
    } catch {
      // The thread ended after the directory was listed.
    }
  }
  return values
}

test('every thread of the engine runs behind the process that started the engine', async () => {
  await using it = await startTestEngine({ isBehindParent: true })
  const behind = new Set([Math.min(19, getPriority() + 5)])
  expect(niceValues(it.engine.pid!)).toEqual(behind)
  await it.post('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a')
  await it.post('INSERT INTO t SELECT number FROM numbers(1000)')
  await it.post('SELECT sum(cityHash64(number)) FROM numbers_mt(10000000) SETTINGS max_threads = 4')
  expect(niceValues(it.engine.pid!)).toEqual(behind)
})
