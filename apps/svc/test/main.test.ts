// Runs the `svc` command in a shell.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDataDirectory } from '@svc-server/stores/data-directory'
import { expect, test } from 'vitest'

const main = join(import.meta.dirname, '../src/main.ts')

test.each([
  [['--help'], 0],
  [['nothing'], 2],
] as const)('%j finishes when its output is closed', async (argv, code) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...argv])
  let error = ''
  child.stderr.on('data', chunk => (error += chunk))
  child.stdout.destroy()
  if (code !== 0) child.stderr.destroy()
  expect(await once(child, 'close')).toEqual([code, null])
  expect(error).toBe('')
})

test('a command that needs only the embedded relational store ends with 0', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'svc-command-'))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'keys', 'projects', '--json'], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], SVC_DATA_DIR: directory.path },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  expect([await once(child, 'close'), said]).toEqual([[0, null], '[]\n'])
})

test('the error names a missing directory, which is not created', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'svc-command-'))
  const path = join(place.path, 'data')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'keys', 'list'], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], SVC_DATA_DIR: path },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  const sentence = `svc: Data directory ${path} (SVC_DATA_DIR) is missing. npm start creates it.\n`
  expect([await once(child, 'close'), said]).toEqual([[1, null], sentence])
  expect(existsSync(path)).toBe(false)
})

test('the error names a directory whose holder takes no commands, and does not suggest stopping an instance', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'svc-command-'))
  const starting = lockDataDirectory(place.path)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'keys', 'list'], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], SVC_DATA_DIR: place.path },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  expect(await once(child, 'close')).toEqual([1, null])
  starting.release()
  expect(said).toMatch(/^svc: \S+ is in use by an instance that is starting or stopping, .* Try again in a moment\.\n$/)
})

test('the schema of a server can be queried before the first start has created a directory', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'svc-command-'))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'keys', 'projects'], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      SVC_DATA_DIR: join(place.path, 'data'),
      DATABASE_URL: 'postgresql://svc@127.0.0.1:1/svc',
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said).toContain('relational_unavailable')
})
