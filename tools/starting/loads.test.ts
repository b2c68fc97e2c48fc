// A process may load only modules that it uses, because each loaded module takes memory.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const directory = mkdtempSync(join(tmpdir(), 'svc-loads-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Code that runs before the program. This code records which modules are loaded. */
const listener = `
  import { writeFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  import { isMainThread } from 'node:worker_threads'
  const loaded = []
  registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
  if (isMainThread) process.on('exit', () => writeFileSync(process.env.SVC_TEST_LOADED, loaded.join('\\n')))
`

/** Returns the modules that a program loads when it prints its help. */
function loadedBy(program: string): ReadonlySet<string> {
  const list = join(directory, 'loaded')
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(listener)}`, join(root, program), '--help'],
    { env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], SVC_TEST_LOADED: list }, encoding: 'utf8' },
  )
  expect([status, stderr]).toEqual([0, ''])
  const urls = readFileSync(list, 'utf8').split('\n')
  return new Set(
    urls.map(url => {
      const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)
      return inPackage?.[1] ?? decodeURIComponent(url).replace(`file://${root}/`, '')
    }),
  )
}

const embeddedStores = [
  'libs/embedded-engine/',
  'libs/log/src/embedded/log.ts',
  'libs/log/src/embedded/store.ts',
  '@electric-sql/pglite',
  'chdb',
]
const prices = ['libs/pricing/src/catalog.ts', 'gpt-tokenizer', 're2js']
const development = ['libs/testkit/', 'libs/dev-servers/', 'vitest']

const strangers: Readonly<Record<string, readonly string[]>> = {
  'services/otlp-gateway/src/main.ts': [
    ...['libs/column-store/', '@clickhouse/client', 'libs/conservation/', 'libs/observations/', 'libs/pricing/', 'lmdb'],
    ...[...embeddedStores, ...prices, ...development],
  ],
  // The API neither finds a model by its name nor counts tokens, so it must not load the code for these two tasks.
  'services/public-api/src/main.ts': [
    ...['libs/conservation/src/check/', 'libs/conservation/src/row-audit/', 'libs/pricing/src/catalog.ts', 'gpt-tokenizer'],
    ...['libs/observations/src/columns/', 'lmdb'],
    ...[...embeddedStores, ...development],
  ],
  'services/staging-propagator/src/main.ts': [
    ...[
      'libs/relational/',
      'kysely',
      'pg',
      'libs/pricing/src/model-prices.json',
      'libs/observations/src/block/',
      'libs/conservation/src/check/',
    ],
    ...[...embeddedStores, ...prices, ...development],
  ],
  // The merger may load the column store's client, because it looks up rows in the old tables.
  'services/merger/src/main.ts': [
    ...['libs/relational/', 'kysely', 'pg', 'libs/pricing/src/model-prices.json', 'libs/observations/src/block/', 'libs/conservation/'],
    ...[...embeddedStores, ...prices, ...development],
  ],
  // The writer encodes rows in separate threads, so its main thread must not load the encoder.
  'services/events-writer/src/main.ts': [
    ...[
      'lmdb',
      'libs/observations/src/block/chunk-encoder.ts',
      'libs/observations/src/columns/',
      'libs/observations/src/dialects/',
      'libs/otlp/src/json/',
      'libs/conservation/src/check/check.ts',
    ],
    ...[...embeddedStores, ...prices, ...development],
  ],
}

test.each(Object.keys(strangers))('%s loads nothing that it does not use', program => {
  const loaded = [...loadedBy(program)]
  expect(loaded).toContain(program)
  const found = strangers[program]!.flatMap(stranger =>
    loaded.filter(path => path === stranger || (stranger.endsWith('/') && path.startsWith(stranger))),
  )
  expect(found).toEqual([])
})
