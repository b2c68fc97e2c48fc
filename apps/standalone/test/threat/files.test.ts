// Only the owner may read or write the data directory, whatever the umask and the permissions of existing files are.
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSpanGenerator, type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from '../directory.ts'
import { freePorts, type Instance, type Ports, ready, startInstance, svc } from '../instance.ts'
import { sendAll } from '../sender.ts'

let directory: TemporaryDirectory
let data: string
let ports: Ports
let instance: Instance
const umask = process.umask()

beforeAll(async () => {
  directory = await instanceDirectory()
  data = join(directory.path, 'data')
  process.umask(0)
  mkdirSync(join(data, 'relational'), { recursive: true })
  writeFileSync(join(data, 'lock.sqlite'), '')
  writeFileSync(join(data, 'left-over'), 'x')
  chmodSync(data, 0o755)
  ports = await freePorts()
  instance = await ready(startInstance(data, ports))
})
afterAll(async () => {
  process.umask(umask)
  await instance.end('SIGKILL')
  await directory.remove()
})

function openPaths(path: string): string[] {
  const status = lstatSync(path, { throwIfNoEntry: false })
  // A symbolic link has no mode of its own, so the test skips it.
  if (status === undefined || status.isSymbolicLink()) return []
  const own = (status.mode & 0o077) === 0 ? [] : [`${path} ${(status.mode & 0o777).toString(8)}`]
  return status.isDirectory() ? [...own, ...readdirSync(path).flatMap(name => openPaths(join(path, name)))] : own
}

test('under umask 000, in a directory that was accessible, no path has a permission bit for other users', async () => {
  const generator = createSpanGenerator({ seed: 'files', startTimeMs: Date.now() - 5000, spansPerRequest: 20 })
  await sendAll({ url: instance.tracesUrl, requests: [generator.next()], concurrency: 1 })
  await waitFor(async () => (await instance.count('SELECT count() AS n FROM events_full')) === 20, { what: 'the rows' })
  expect((await svc(data, ports, 'keys', 'list')).code).toBe(0)
  expect(openPaths(data)).toEqual([])
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['column-store', 'left-over', 'log', 'relational', 'secrets.json', 'svc.sock']))
})

test('a command that opens the stores itself leaves no open path', async () => {
  expect(await instance.end('SIGINT')).toBe(0)
  expect((await svc(data, ports, 'topics')).code).toBe(0)
  expect(openPaths(data)).toEqual([])
})
