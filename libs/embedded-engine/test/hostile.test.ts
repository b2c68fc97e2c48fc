import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { authorization, startTestEngine } from './engine.ts'

test('the oldest connections without a password are closed first, and a connection that has sent the password stays open', async () => {
  await using it = await startTestEngine()
  const { port } = it.engine
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'connect')
    return socket
  }
  const known = await open()
  known.write(`GET /?query=SELECT%201 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\n\r\n`)
  await once(known, 'data')
  const strangers: Socket[] = []
  for (let n = 0; n < 300; n++) strangers.push(await open())
  await waitFor(() => strangers.filter(socket => socket.closed).length === 44, { what: 'the oldest to be closed' })
  expect(strangers.slice(0, 44).every(socket => socket.closed)).toBe(true)
  expect(known.closed).toBe(false)
  for (const socket of [known, ...strangers]) socket.destroy()
  expect((await it.post('SELECT 1')).text).toBe('1\n')
})

test('a refused client without a password gets its response although its body never arrives', async () => {
  await using it = await startTestEngine()
  const socket = connect({ host: '127.0.0.1', port: it.engine.port })
  socket.write(`POST /?query=x HTTP/1.1\r\nHost: 127.0.0.1:${it.engine.port}\r\nContent-Length: 1000\r\n\r\nx`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 .*connection: close/is)
  socket.destroy()
})

test('statements that would end inserts or raise the limits are refused', async () => {
  await using it = await startTestEngine()
  for (const sql of [
    "KILL QUERY WHERE query LIKE 'INSERT%'",
    'SELECT 1 SETTINGS max_memory_usage = 0',
    'SELECT 1 SETTINGS max_threads = 5000',
  ])
    expect([sql, (await it.post(sql)).status]).toEqual([sql, expect.toSatisfy((status: number) => status >= 400)])
  expect((await it.post('SELECT 1', { max_memory_usage: '1000000000' })).text).toBe('1\n')
})

test('an endless INSERT … SELECT does not delay inserts of data, and ends when its caller disconnects', async () => {
  await using it = await startTestEngine({ insertSlots: 1 })
  await it.post('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a')
  const leave = new AbortController()
  const endless = 'INSERT INTO t SELECT sleepEachRow(1) FROM numbers(1e9) SETTINGS max_block_size = 1'
  const copies = Array.from({ length: 4 }, () =>
    fetch(it.engine.url, { method: 'POST', headers: { authorization }, body: endless, signal: leave.signal }).catch(() => 'left'),
  )
  const running = async () => Number((await it.post("SELECT count() FROM system.processes WHERE query LIKE 'INSERT%sleepEachRow%'")).text)
  await waitFor(async () => (await running()) === 2, { what: 'both to run' })
  expect((await it.post('INSERT INTO t FORMAT TSV\n7\n')).status).toBe(200)
  leave.abort()
  expect(await Promise.all(copies)).toEqual(['left', 'left', 'left', 'left'])
  await waitFor(async () => (await running()) === 0, { what: 'them to end' })
})

test('unread results are kept up to a limit, and reads above the limit are refused until the clients disconnect', async () => {
  await using it = await startTestEngine()
  const sql = encodeURIComponent("SELECT repeat('x', 1000) FROM numbers(100000)")
  const untaken: Socket[] = []
  for (let n = 0; n < 2; n++) {
    const socket = connect({ host: '127.0.0.1', port: it.engine.port })
    untaken.push(socket)
    socket.write(`GET /?query=${sql} HTTP/1.1\r\nHost: 127.0.0.1:${it.engine.port}\r\nAuthorization: ${authorization}\r\n\r\n`)
    await once(socket, 'readable')
  }
  const third = await it.post(decodeURIComponent(sql))
  expect([third.status, third.text]).toEqual([500, expect.stringMatching(/^Code: 241\. .* clients have not yet read results of \d+ bytes/)])
  expect((await it.post('SELECT 1')).text).toBe('1\n')
  for (const socket of untaken) socket.destroy()
  await waitFor(async () => (await it.post(decodeURIComponent(sql))).status === 200, { what: 'what they held to be free' })
})
