import { once } from 'node:events'
import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { goBehindOthers, priorities } from './thread-priority.ts'

async function ofThread(): Promise<{ went: boolean; before: number; after: number }> {
  const script = `
    const { parentPort } = require('node:worker_threads')
    const { getPriority } = require('node:os')
    import(${JSON.stringify(new URL('./thread-priority.ts', import.meta.url).href)}).then(({ goBehindOthers }) => {
      const before = getPriority(0)
      const went = goBehindOthers('background')
      parentPort.postMessage({ went, before, after: getPriority(0) })
    })`
  const [answer] = (await once(new Worker(script, { eval: true }), 'message')) as [Awaited<ReturnType<typeof ofThread>>]
  return answer
}

test('F26 · a thread lowers only its own priority, and the process keeps its own', async () => {
  const before = getPriority()
  const thread = await ofThread()
  expect(getPriority()).toBe(before)
  const goesBehind = process.platform === 'linux'
  expect(thread).toEqual({
    went: goesBehind,
    before: thread.before,
    after: goesBehind ? Math.max(priorities.background, thread.before) : thread.before,
  })
})

test('the main thread keeps its priority', () => {
  const before = getPriority()
  expect(goBehindOthers('background')).toBe(false)
  expect(getPriority()).toBe(before)
})
