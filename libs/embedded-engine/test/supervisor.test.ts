import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { type EngineState, startEngine } from '../src/index.ts'
import { besideEngineBytes } from '../src/start-engine.ts'
import { password, startTestEngine } from './engine.ts'

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a killed engine restarts on the same port with all data that it acknowledged', async () => {
  const states: EngineState[] = []
  await using it = await startTestEngine({ onState: state => states.push(state) })
  await it.post('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a')
  await it.post('INSERT INTO t VALUES (1)')
  const first = it.engine.pid!
  const boot = async () => (await it.post("SELECT substitution FROM system.macros WHERE macro = 'svc_boot'")).text
  const firstBoot = await boot()

  process.kill(first, 'SIGKILL')
  await waitFor(() => it.engine.restarts === 1 && it.engine.state === 'running', { what: 'the restart' })
  expect(it.engine.pid).not.toBe(first)
  expect((await it.post('SELECT a FROM t')).text).toBe('1\n')
  expect(await boot()).not.toBe(firstBoot)
  expect(states).toEqual(['running', 'restarting', 'running'])
})

test('F51 · a frozen engine is replaced like a dead one, on the same port and with all data that it acknowledged', async () => {
  const states: EngineState[] = []
  await using it = await startTestEngine({ onState: state => states.push(state), silenceMs: 1_000 })
  await it.post('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a')
  await it.post('INSERT INTO t VALUES (1)')
  const [frozen, port] = [it.engine.pid!, it.engine.port]
  process.kill(frozen, 'SIGSTOP')
  const waiting = it.post('INSERT INTO t VALUES (2)').catch(() => 'cut off')
  await waitFor(() => it.engine.restarts === 1 && it.engine.state === 'running', { what: 'the replacement' })
  expect([await waiting, isAlive(frozen), it.engine.port]).toEqual(['cut off', false, port])
  expect((await it.post('SELECT a FROM t')).text).toBe('1\n')
  expect(states).toEqual(['running', 'restarting', 'running'])
})

test('F51 · long statements in every slot are not treated as silence', async () => {
  await using it = await startTestEngine({ silenceMs: 2_000, readSlots: 2, insertSlots: 1 })
  await it.post('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a')
  const pid = it.engine.pid
  const busy = 'SELECT count() FROM numbers(1e12) WHERE cityHash64(number) = 1 SETTINGS max_execution_time = 3'
  const answers = await Promise.all([
    it.post(busy),
    it.post(busy),
    it.post('INSERT INTO t SELECT number FROM numbers(60) WHERE sleepEachRow(0.05) = 0 SETTINGS max_block_size = 1'),
  ])
  expect(answers.map(answer => answer.status)).toEqual([408, 408, 200])
  expect([it.engine.pid, it.engine.restarts]).toEqual([pid, 0])
})

test('stop lets a running insert finish and leaves no process', async () => {
  const it = await startTestEngine()
  await it.post('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a')
  const insert = it.post('INSERT INTO t SELECT number FROM numbers(20) WHERE sleepEachRow(0.05) = 0 SETTINGS max_block_size = 1')
  await waitFor(async () => (await it.post("SELECT count() FROM system.processes WHERE query LIKE 'INSERT%'")).text === '1\n', {
    what: 'the insert to run',
  })
  const pid = it.engine.pid!
  await it.engine.stop()
  expect((await insert).status).toBe(200)
  expect(isAlive(pid)).toBe(false)
  expect(it.engine.state).toBe('stopped')

  await using again = await startTestEngine({ dataDir: it.directory })
  expect((await again.post('SELECT count() FROM t')).text).toBe('20\n')
  await it[Symbol.asyncDispose]()
})

test('stop ends statements that take longer than the grace period', async () => {
  await using it = await startTestEngine()
  const pid = it.engine.pid!
  const endless = it.post('SELECT count() FROM numbers(1e14) WHERE cityHash64(number) = 1').catch(() => 'cut off')
  await waitFor(async () => (await it.post("SELECT count() FROM system.processes WHERE query LIKE '%1e14%'")).text === '2\n', {
    what: 'the query to run',
  })
  await it.engine.stop(50)
  expect(await endless).toBe('cut off')
  expect(isAlive(pid)).toBe(false)
})

test('the engine ends with its parent, even during work, and the next engine waits for the lock', async () => {
  await using directory = await temporaryDirectory()
  const script = fileURLToPath(new URL('./orphan-parent.ts', import.meta.url))
  const parent = spawn(process.execPath, [script, directory.path, password], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(parent.stdout!, 'data')
  const { pid } = JSON.parse(String(line)) as { pid: number }
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  // The second engine starts only if the first engine has ended and released the lock.
  const next = await startEngine({ dataDir: directory.path, port: 0, password, restartDelayMs: [20, 100] })
  await next.stop()
})

test('a second engine on the same directory or on a taken port is refused with the reason', async () => {
  await using it = await startTestEngine()
  await expect(startEngine({ dataDir: it.directory, port: 0, password, lockWaitMs: 0 })).rejects.toMatchObject({ code: 'data_dir_locked' })
  await using directory = await temporaryDirectory()
  await expect(startEngine({ dataDir: directory.path, port: it.engine.port, password })).rejects.toMatchObject({ code: 'port_in_use' })
})

test('the engine empties the spool of an earlier process', async () => {
  await using directory = await temporaryDirectory()
  await mkdir(join(directory.path, 'spool'))
  await writeFile(join(directory.path, 'spool', 'left-over'), 'x')
  await using it = await startTestEngine({ dataDir: directory.path })
  expect(await readdir(join(directory.path, 'spool'))).toEqual([])
  expect(it.engine.state).toBe('running')
})

test('a statement beyond the queue is refused with code 202', async () => {
  await using it = await startTestEngine({ readSlots: 1, maxWaiting: 1 })
  const slow = () => it.post('SELECT sleep(0.3)')
  const answers = await Promise.all([slow(), slow(), slow(), slow()])
  expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 503, 503])
  expect(answers.find(answer => answer.status === 503)?.headers.get('x-clickhouse-exception-code')).toBe('202')
})

test('F13 · an insert above the memory cap is refused with code 241, stores nothing, and the engine keeps working', async () => {
  await using it = await startTestEngine({ memoryLimitBytes: besideEngineBytes + 200_000_000 })
  await it.post('CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a')
  // A row has an 8-byte number, the text length 16,384 as a varint, and the text.
  const row = Buffer.concat([Buffer.alloc(8), Buffer.from([0x80, 0x80, 0x01]), Buffer.alloc(16_384, 'A')])
  const answer = await it.post(new Uint8Array(Buffer.concat(Array<Buffer>(8_000).fill(row))), { query: 'INSERT INTO t FORMAT RowBinary' })
  expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([500, '241'])
  expect((await it.post('SELECT count() FROM t')).text).toBe('0\n')
})
