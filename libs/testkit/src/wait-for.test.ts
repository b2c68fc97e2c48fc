import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { freePort, temporaryDirectory, waitFor } from '@svc-server/dev-servers'
import { expect, test } from 'vitest'
import { manualClock } from './manual-clock.ts'

test('waitFor returns the first truthy result and treats earlier errors as "not yet"', async () => {
  let calls = 0
  const result = await waitFor(
    () => {
      if (++calls < 3) throw new Error('not yet')
      return calls
    },
    { what: 'the third call', everyMs: 1 },
  )
  expect(result).toBe(3)
})

test('the error of waitFor names the condition that was not met, and its cause', async () => {
  const waiting = waitFor(() => Promise.reject(new Error('refused')), { what: 'the row', timeoutMs: 20, everyMs: 1 })
  await expect(waiting).rejects.toMatchObject({ message: 'Waited 20 ms for the row', cause: { message: 'refused' } })
})

test('a manual clock moves only when a test moves it', () => {
  const clock = manualClock(1000)
  clock.advance(500)
  expect(clock.now()).toBe(1500)
  clock.set(10)
  expect(clock.now()).toBe(10)
})

test('a temporary directory is deleted at the end of its scope', async () => {
  let path: string
  {
    await using directory = await temporaryDirectory()
    path = directory.path
    expect(existsSync(path)).toBe(true)
  }
  expect(existsSync(path)).toBe(false)
})

test('a server can listen on a free port', async () => {
  const port = await freePort()
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  server.close()
})
