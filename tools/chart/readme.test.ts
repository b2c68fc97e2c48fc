// The commands in the chart's README must be valid and create everything that the stores need.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { requiredGrants } from '../../libs/schema/src/migrations/grants.ts'
import workspace from '../../package.json' with { type: 'json' }
import { blocksUnder, createOperator, ownNames, withoutOwn } from './as-written.ts'
import { chartFolder, helm, parse } from './helm.ts'

const start = '## From an empty cluster to the first span'
const [evaluation, kept] = ['### To try svc', '### To use your own stores']

function newOperator() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-readme-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return createOperator(folder)
}

test('every block of commands is valid for a shell', async () => {
  const blocks = [start, evaluation, kept, '## Upgrades'].flatMap(heading => blocksUnder(heading, 'sh'))
  expect(blocks).toHaveLength(6)
  for (const block of blocks) await promisify(execFile)('sh', ['-n', '-c', block])
})

test('the trial installation uses the values that the README names, and its removal deletes everything that it created', async () => {
  const operator = newOperator()
  await operator.run([...blocksUnder(start, 'sh'), ...blocksUnder(evaluation, 'sh')].map(withoutOwn).join('\n'), {
    REGISTRY: 'registry.example.com',
  })
  const [upgrade, flag, release, , values, file, ...more] = operator.asked('helm')[0]!
  expect([upgrade, flag, values]).toEqual(['upgrade', '--install', '-f'])
  const { ok, output } = await helm(
    'template',
    release!,
    chartFolder,
    '--kube-version',
    '1.33.0',
    '-f',
    join(chartFolder, '../..', file!),
    ...more,
  )
  expect([ok, output]).toEqual([true, expect.stringContaining(`image: registry.example.com/svc-service:${workspace.version}`)])
  const kept = parse(output).filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
  const removed = operator.asked('kubectl').filter(([what]) => what === 'delete')
  expect(removed.map(args => args.join(' '))).toEqual([
    `delete pvc -l app.kubernetes.io/instance=${release}`,
    ...kept.map(({ kind, metadata }) => `delete ${kind.toLowerCase()} ${metadata.name}`),
  ])
  expect(
    parse(output).some(({ kind, metadata }) => kind === 'StatefulSet' && metadata.labels['app.kubernetes.io/instance'] === release),
  ).toBe(true)
})

test('every variable of the commands is set, and ClickHouse’s user has the rights that migrations and services need', () => {
  const [install] = blocksUnder(kept, 'sh')
  const set = [...blocksUnder(start, 'sh'), install!].flatMap(ownNames)
  expect(new Set([...withoutOwn(install!).matchAll(/\$([A-Z_]+)/g)].map(([, name]) => name))).toEqual(new Set(set))
  const sql = blocksUnder(kept, 'sql').join('\n')
  for (const { privileges, on } of requiredGrants({ database: 'svc', clustered: false }))
    expect(sql).toContain(`GRANT ${privileges} ON ${on!.replaceAll('`', '')} TO svc;\n`)
})
