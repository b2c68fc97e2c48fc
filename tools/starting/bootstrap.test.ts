// The downloads of the first start are pinned. If a registry serves changed bytes, no package may be installed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkJars } from '../../libs/dev-servers/src/kafka/distribution.ts'

interface Tool {
  readonly name: string
  readonly version: string
  readonly integrity: string
  readonly megabytes: number
  readonly unpackedMegabytes: number
}
interface Bootstrap {
  readonly pnpm: Tool
  readonly nodePackages: Readonly<Record<string, Tool>>
  fingerprint(root: string, nodePath: string): string
  fetchTool(toolchain: string, tool: Tool, what: string): Promise<void>
}

/** Imports a file of the bootstrap. The bootstrap is JavaScript without types, because it runs before any package is installed. */
const load = (file: string): Promise<Bootstrap> => import(new URL(`../../bootstrap/${file}`, import.meta.url).href)
const { fetchTool, fingerprint, pnpm } = await load('install.mjs')
const { nodePackages } = await load('platform.mjs')

const directory = mkdtempSync(join(tmpdir(), 'svc-bootstrap-'))
const name = 'a-tool'
let integrity: string
const server = createServer((request, response) => {
  const tarball = readFileSync(join(directory, 'tool.tgz'))
  if (request.url?.endsWith('.tgz')) return void response.end(tarball)
  const { port } = server.address() as AddressInfo
  // A compromised registry could serve changed bytes together with the checksum of these bytes.
  const dist = { tarball: `http://127.0.0.1:${port}/tool.tgz`, integrity }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name, version: '1.0.0', dist } } }))
})
const environment = { ...process.env }

beforeAll(async () => {
  mkdirSync(join(directory, 'package'))
  writeFileSync(join(directory, 'package', 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
  execFileSync('tar', ['-czf', 'tool.tgz', 'package'], { cwd: directory })
  integrity = `sha512-${createHash('sha512')
    .update(readFileSync(join(directory, 'tool.tgz')))
    .digest('base64')}`
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  process.env['npm_config_registry'] = `http://127.0.0.1:${port}/`
  process.env['npm_config_cache'] = join(directory, 'cache')
})
afterAll(() => {
  process.env = environment
  server.close()
  server.closeAllConnections()
  rmSync(directory, { recursive: true, force: true })
})

const sizes = { megabytes: 1, unpackedMegabytes: 1 }

test('a tool with the tested bytes is installed, and other bytes are refused', async () => {
  const installed = (toolchain: string) => existsSync(join(toolchain, 'node_modules', name, 'package.json'))
  const [good, bad] = [join(directory, 'good'), join(directory, 'bad')]
  await fetchTool(good, { name, version: '1.0.0', integrity, ...sizes }, 'a tool')
  expect(installed(good)).toBe(true)
  const other = `sha512-${createHash('sha512').update('what was tested').digest('base64')}`
  await expect(fetchTool(bad, { name, version: '1.0.0', integrity: other, ...sizes }, 'a tool')).rejects.toThrow('ended with')
  expect(installed(bad)).toBe(false)
})

test.each([pnpm, ...Object.values(nodePackages)])('$name $version has its checksum here', tool => {
  expect(tool.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/)
})

test('jars of the brokers with other bytes than the tested ones are refused', () => {
  const folder = join(directory, 'jars')
  mkdirSync(folder)
  writeFileSync(join(folder, 'kafka_2.13-4.3.1.jar'), 'something else')
  expect(() => checkJars(folder)).toThrow(/kafka_2\.13-4\.3\.1\.jar/)
})

test('a changed manifest of the workspace causes an install; the manifest of the toolchain does not, because fetching pnpm writes it', () => {
  const root = join(directory, 'workspace')
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', 'tools/package.json', 'libs/a/package.json'])
    write(file, '{}')
  const first = fingerprint(root, '/usr/bin/node')
  write('.toolchain/package.json', '{"dependencies":{}}')
  expect(fingerprint(root, '/usr/bin/node')).toBe(first)
  for (const file of ['package.json', 'tools/package.json', 'libs/a/package.json']) {
    const before = fingerprint(root, '/usr/bin/node')
    write(file, '{"name":"another"}')
    expect(fingerprint(root, '/usr/bin/node')).not.toBe(before)
  }
})
