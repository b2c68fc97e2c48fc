// Runs the commands of docs/reading.md in their order on a new instance.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { freePorts, type Instance, type Ports, publicKey, ready, secretKey, startInstance } from './instance.ts'

interface Block {
  readonly heading: string
  readonly language: string
  readonly text: string
}

function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = []
  let heading = ''
  for (const [, title, language, text] of markdown.matchAll(/^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title
    else blocks.push({ heading, language: language!, text: text! })
  }
  return blocks
}

const blocks = blocksOf(readFileSync(join(import.meta.dirname, '../../../docs/reading.md'), 'utf8'))
const commandsUnder = (heading: string) =>
  blocks.filter(block => block.heading === heading && block.language === 'sh').map(({ text }) => text)

let directory: TemporaryDirectory
let desk: TemporaryDirectory
let ports: Ports
let instance: Instance
beforeAll(async () => {
  directory = await instanceDirectory()
  desk = await temporaryDirectory()
  ports = await freePorts()
  instance = await ready(startInstance(directory.path, ports))
  await writeFile(join(desk.path, 'send.mjs'), blocks.find(({ language }) => language === 'js')!.text)
  await symlink(join(import.meta.dirname, '../node_modules'), join(desk.path, 'node_modules'))
  await writeFile(
    join(desk.path, 'state'),
    `API=http://localhost:${ports.PORT}/api/public\nWORKER=http://localhost:${ports.SVC_WORKER_PORT}\nKEYS=${publicKey}:${secretKey}\n`,
  )
})
afterAll(async () => {
  await instance.end('SIGINT')
  await directory.remove()
  await desk.remove()
})

async function run(command: string): Promise<string> {
  const script = `set -a\n. ./state\n${command}\nexport -p > state`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: desk.path })
  return stdout
}

const until = (command: string, expected: RegExp) =>
  waitFor(async () => (expected.test(await run(command)) ? true : undefined), { what: `${expected} of ${command}` })

test('spans are sent with an exporter, and every query has its response', async () => {
  expect(commandsUnder('Start')).toHaveLength(2)
  const [settings, send] = commandsUnder('Send spans with an exporter')
  await run(settings!)
  expect(await run(send!)).toMatch(/^[0-9a-f]{32}\n$/)
  const [write] = commandsUnder('Read what was just written')
  expect(JSON.parse(await run(write!)).data).toMatchObject([{ name: 'by curl' }])

  const [cost] = commandsUnder('Which model cost most last week?')
  await until(cost!, /gpt-4o"[\s\S]*gpt-4o-mini"/)
  const models = JSON.parse(await run(cost!)).data as readonly { readonly providedModelName: string; readonly sum_totalCost: number }[]
  expect(models.map(({ providedModelName }) => providedModelName)).toEqual(['gpt-4o', 'gpt-4o-mini'])
  expect(models[0]!.sum_totalCost).toBeGreaterThan(models[1]!.sum_totalCost)

  const [errors] = commandsUnder('Which users had errors?')
  expect(JSON.parse(await run(errors!)).data).toMatchObject([{ userId: 'bob' }])

  const [show] = commandsUnder('Show me this trace')
  const observations = JSON.parse(await run(show!)).data as readonly { readonly name: string; readonly statusMessage: string | null }[]
  expect(observations.map(({ name }) => name).sort()).toEqual(['answer', 'chat'])
  expect(observations.find(({ name }) => name === 'chat')).toMatchObject({ statusMessage: 'The tool did not answer.', userId: 'bob' })

  const [every] = commandsUnder('Give me every row')
  const [names, ...rows] = (await run(`${every}\ncat rows.csv`)).trim().split('\n')
  expect([names, rows.length]).toEqual([expect.stringMatching(/^"id","traceId","startTime"/), 2])
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, '../../svc/src/main.ts'),
      'query',
      'observations',
      '--level',
      'ERROR',
    ],
    ...['--url', `http://localhost:${ports.PORT}`, '--keys', `${publicKey}:${secretKey}`],
  ])
  expect(stdout).toMatch(/^id +traceId +startTime[\s\S]+ chat .*The tool did not answer\./)

  const [complete, lost] = commandsUnder('Was anything lost?')
  await until(complete!, /x-svc-complete-until: 20\d\d-/i)
  await until(lost!, /^svc_unaccounted_spans\{/m)
  const values = (await run(lost!))
    .trim()
    .split('\n')
    .map(line => Number(line.split(' ').at(-1)))
  expect(values.every(value => value === 0)).toBe(true)
})

test('every command of the page is under a heading that this test follows', () => {
  const followed = ['Start', 'Send spans with an exporter', 'Read what was just written', 'Which model cost most last week?']
  const headings = new Set(blocks.map(({ heading }) => heading))
  expect([...headings]).toEqual([...followed, 'Which users had errors?', 'Show me this trace', 'Give me every row', 'Was anything lost?'])
})
