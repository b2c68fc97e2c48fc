// Runs `svc` commands inside a running instance. Wrong arguments or damaged log records may make the command fail, but must not end the
// instance.
import { request } from 'node:http'
import { join } from 'node:path'
import { socketPathOf } from '@svc-server/commands/socket/address'
import { sendCommand } from '@svc-server/commands/socket/send'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import type { TemporaryDirectory } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from '../directory.ts'
import { freePorts, type Instance, ready, startInstance } from '../instance.ts'

let directory: TemporaryDirectory
let instance: Instance

const oddRecords = [
  Buffer.from('no record'),
  Buffer.concat([Buffer.from('c301', 'hex'), Buffer.alloc(40, 7)]),
  Buffer.from('c301', 'hex'),
  Buffer.alloc(0),
]

beforeAll(async () => {
  directory = await instanceDirectory()
  const log = await openEmbeddedLog({
    directory: join(directory.path, 'log'),
    topics: topicSpecs({ embedded: true, enabledReaders: [] }),
  })
  for (const topic of [topicNames.deadLetter, topicNames.direct, topicNames.staging, topicNames.filled, topicNames.ledger]) {
    await log.append(
      topic,
      oddRecords.map(value => ({ key: null, value })),
    )
  }
  await log.close()
  instance = await ready(startInstance(directory.path, await freePorts()))
})
afterAll(async () => {
  await instance.end('SIGKILL')
  await directory.remove()
})

async function svc(...argv: string[]) {
  const out: string[] = []
  const errors: string[] = []
  const output = { print: (line: string) => out.push(line), printError: (line: string) => errors.push(line) }
  const code = await sendCommand(socketPathOf(directory.path), argv, output)
  return { code, out: out.join('\n'), error: errors.join('\n') }
}

async function goesOn(): Promise<void> {
  expect(instance.ended()).toBe(false)
  expect((await fetch(`http://127.0.0.1:${instance.ports.SVC_WORKER_PORT}/health/live`)).status).toBe(200)
  expect(instance.output()).not.toContain('failed because of a defect')
}

test('a dead letter of an unknown schema is listed as from a different release, and ends neither command nor instance', async () => {
  const listed = await svc('dead-letter', 'list')
  expect(listed.code).toBe(0)
  expect(listed.out).toMatch(/\d dead letters were written by another release/)
  const checked = await svc('check', '--json')
  expect(JSON.parse(checked.out)).toMatchObject({ unreadableDeadLetters: oddRecords.length })
  expect((await svc('topics', topicNames.deadLetter, '--records', '1000')).code).toBe(0)
  await goesOn()
})

test('a file that a command names is read by the caller, not by the instance', async () => {
  expect(await svc('explain', '/dev/zero')).toMatchObject({ code: 2, error: expect.stringContaining('on the machine with its files') })
  await goesOn()
})

const commands = ['keys', 'topics', 'sdks', 'check', 'dead-letter', 'migrate', 'explain', 'log', 'nonsense', 'constructor', '__proto__', '']
const verbs = [
  'list',
  'show',
  'purge',
  'create',
  'create-project',
  'create-organization',
  'projects',
  'revoke',
  'skip',
  'toString',
  '__proto__',
]
const options = [
  ...['--limit', '--json', '--older-than', '--reason', '--project', '--dry-run', '--records', '--newest', '--target', '--clustered'],
  ...[
    '--yes',
    '--name',
    '--id',
    '--organization',
    '--note',
    '--expires',
    '--all',
    '--days',
    '--projects',
    '--nonsense',
    '--__proto__',
    '-',
    '--',
    '-x',
  ],
]
const values = [
  ...['', ' ', '0', '-1', '1.5', '1e308', 'NaN', 'Infinity', '38', '39', '0x10', '９', '2027-01-31', '+275760-09-14', 'null', '[]', '{}'],
  ...[
    '../../etc/passwd',
    '/dev/zero',
    'a/../b',
    'spans.direct',
    'spans.direct/0/0/-',
    '%s%n',
    "'; DROP TABLE events_full; --",
    '\0',
    '\u{1f4a5}',
  ],
  'x'.repeat(100_000),
]
const word = fc.oneof(
  fc.constantFrom(...verbs),
  fc.constantFrom(...options),
  fc.constantFrom(...values),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const argv = fc.tuple(fc.constantFrom(...commands), fc.array(word, { maxLength: 6 })).map(([command, rest]) => [command, ...rest])

test('for any arguments, a command ends with its own code and a message, and the instance continues', async () => {
  await fc.assert(
    fc.asyncProperty(argv, async given => {
      const { code, out, error } = await svc(...given)
      expect([0, 1, 2]).toContain(code)
      if (code !== 0) expect(error.length).toBeGreaterThan(0)
      expect(out + error).not.toContain('failed because of a defect')
    }),
    { numRuns: 150 },
  )
  await goesOn()
})

test('a caller that disconnects during a command does not affect the instance', async () => {
  for (let caller = 0; caller < 20; caller++) {
    const left = new AbortController()
    const asked = fetchOverSocket(['check', '--json'], left.signal)
    setImmediate(() => left.abort())
    await asked.catch(() => undefined)
  }
  expect((await svc('topics')).code).toBe(0)
  await goesOn()
})

function fetchOverSocket(given: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const outgoing = request({ socketPath: socketPathOf(directory.path), method: 'POST', path: '/', signal }, response => {
      response.on('error', fail).on('end', done).resume()
    })
    outgoing.on('error', fail).end(JSON.stringify(given))
  })
}
