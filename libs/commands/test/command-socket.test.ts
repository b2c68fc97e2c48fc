import { lstatSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { exchangeRaw, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sendCommand } from '../src/socket/send.ts'
import { serveCommands } from '../src/socket/serve.ts'

const umask = process.umask()
let directory: TemporaryDirectory
beforeEach(async () => {
  directory = await temporaryDirectory()
  process.umask(0)
})
afterEach(async () => {
  process.umask(umask)
  await directory.remove()
})

const unopened = () => Promise.reject(new Error('a defect of a store'))
const stores = {
  keys: unopened,
  relational: unopened,
  log: unopened,
  columnStore: unopened,
  migrations: unopened,
  writeMode: 'events_only' as const,
  servicesRunning: true,
}
const lines: string[] = []
const output = { print: (line: string) => void lines.push(line), printError: (line: string) => void lines.push(line) }

test('the socket has mode 0600 before a client can connect', async () => {
  const path = join(directory.path, 'svc.sock')
  const listening = serveCommands(path, stores, () => {})
  // The socket already exists here, although the promise of `serveCommands` has not resolved yet. An attacker can connect as soon as the
  // socket exists.
  expect((lstatSync(path).mode & 0o777).toString(8)).toBe('600')
  expect(process.umask()).toBe(0)
  ;(await listening).close()
})

test('rejects a body that is not a command, and an error that a command throws fails only that command', async () => {
  const path = join(directory.path, 'svc.sock')
  const defects: unknown[] = []
  const server = await serveCommands(path, stores, error => defects.push(error))
  const post = (body: string) => exchangeRaw({ path }, `POST / HTTP/1.1\r\nHost: svc\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  for (const body of ['', '{', 'null', '"keys"', '{"0":"keys"}', '[1]', '[["keys"]]'])
    expect([body, (await post(body)).status]).toEqual([body, 400])
  expect((await exchangeRaw({ path }, 'GET / HTTP/1.1\r\nHost: svc\r\n\r\n')).status).toBe(405)
  expect(defects).toEqual([])
  expect(await sendCommand(path, ['topics'], output)).toBe(1)
  expect(defects).toHaveLength(1)
  expect(await sendCommand(path, ['nonsense'], output)).toBe(2)
  server.close()
})

test.each([
  ['before it answers', ''],
  ['in the middle of its answer', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nf\r\n{"out":"first"}\n\r\n'],
])('reports an instance that ends %s in a sentence, without a stack trace', async (_, answer) => {
  const path = join(directory.path, 'svc.sock')
  const killed = createServer(socket => socket.once('data', () => socket.end(answer)))
  process.umask(0o177)
  await new Promise<void>(done => killed.listen(path, done))
  await expect(sendCommand(path, ['check'], output)).rejects.toMatchObject({
    name: 'AppError',
    message: expect.stringContaining('The running instance ended during the command'),
  })
  killed.close()
})
