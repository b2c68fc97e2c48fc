// Checks rules of the repository's layout that no other tool checks (architecture §1).
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import workspace from '../package.json' with { type: 'json' }
import { importsOf, type Package, packageOf, readWorkspace, type SourceFile, targetOf } from './checks/workspace.ts'

const root = join(import.meta.dirname, '..')
const { packages, rootDependencies, otherFiles } = readWorkspace(root)
const byName = new Map(packages.map(p => [p.name, p]))
const allFiles = [...packages.flatMap(p => p.files), ...otherFiles]

test('the reader finds every form of import, and no other text', () => {
  const text = `
    import a from 'a'
    import { b,
      type C } from "b"
    import type { D } from './d.ts'
    import 'e'
    export * from 'f'
    export { g } from '../g.ts'
    import data from './h.json' with { type: 'json' }
    const i = await import('i')
    // This comment imports nothing: it contains the text "import x from", and the text "from 'nowhere'".
    const from = 'j'
    export const k = { from: 'k' }
  `
  expect(importsOf(text).sort()).toEqual(['../g.ts', './d.ts', './h.json', 'a', 'b', 'e', 'f', 'i'])
})

test('the reader finds the whole workspace', () => {
  expect(packages.length).toBeGreaterThan(10)
  for (const name of ['schema', 'modes', 'log', 'otlp']) {
    expect(byName.get(`@svc-server/${name}`)!.files.length, name).toBeGreaterThan(1)
  }
})

test('write modes and behaviors are listed only in libs/modes', () => {
  const lists = /'(?:legacy|dual|events_only)'\s*[|,]\s*'(?:legacy|dual|events_only)'|'dual_write'\s*[|,]\s*'direct'/
  const found = packages.filter(p => p.name !== '@svc-server/modes').flatMap(p => p.files.filter(file => lists.test(file.text)))
  expect(found.map(file => file.path)).toEqual([])
})

/** True if the export's pattern matches the path. A pattern can end with `*`, as in `./*`. */
const isBelow = (pattern: string, subpath: string) => pattern.endsWith('*') && subpath.startsWith(pattern.slice(0, -1))

test('a package is imported only through its exports', () => {
  const wrong: string[] = []
  for (const p of packages) {
    for (const file of p.files) {
      for (const item of file.imports) {
        const other = byName.get(packageOf(item.specifier) ?? '')
        const subpath = other && `.${item.specifier.slice(other.name.length)}`
        if (other !== undefined && !other.exports.some(pattern => pattern === subpath || isBelow(pattern, subpath!)))
          wrong.push(`${file.path} imports ${item.specifier}, which is not exported`)
        if (item.specifier.startsWith('.') && !targetOf(item).startsWith(`${p.folder}/`)) {
          wrong.push(`${file.path} reaches into another package: ${item.specifier}`)
        }
      }
    }
  }
  expect(wrong).toEqual([])
})

test('every import of a file is a dependency of its package', () => {
  const wrong: string[] = []
  for (const p of packages) {
    for (const file of p.files) {
      const allowed = [...p.dependencies, ...(file.development ? [...p.devDependencies, ...rootDependencies] : [])]
      // The imports in this file are texts, which users copy into their applications.
      if (file.path === 'apps/web/src/first-run/snippets.ts') continue
      for (const { specifier } of file.imports) {
        const name = packageOf(specifier)
        if (name !== null && !allowed.includes(name))
          wrong.push(`${file.path} imports ${name}, which ${p.folder}/package.json does not name`)
      }
    }
  }
  expect(wrong).toEqual([])
})

test('every dependency of a package is imported', () => {
  // Some packages are never imported, because they contain only types, or because scripts run them as programs.
  const isUsed = (p: Package, files: readonly SourceFile[], name: string) =>
    name.startsWith('@types/') ||
    name === 'protobufjs-cli' ||
    // These are peer dependencies of the SDK's span processor. The tests of other packages load them.
    (p.folder.startsWith('packages/') && name.startsWith('@opentelemetry/')) ||
    files.some(file => file.imports.some(i => packageOf(i.specifier) === name) || file.text.includes(`resolve('${name}`)) ||
    p.scripts.some(script => script.includes(name))
  const unused = packages.flatMap(p => {
    const production = p.kind === 'bench' ? p.files : p.files.filter(f => !f.development)
    return [
      ...p.dependencies
        .filter(name => !isUsed(p, production, name))
        .map(name => `${p.name}: ${name} is a dependency, and no source imports it`),
      ...p.devDependencies
        .filter(name => !isUsed(p, p.files, name))
        .map(name => `${p.name}: ${name} is a development dependency, and no file imports it`),
    ]
  })
  expect(unused).toEqual([])
})

test('only config.ts reads the environment; an entry point may pass it on whole', () => {
  const imported = new Set(allFiles.flatMap(file => file.imports.filter(i => i.specifier.startsWith('.')).map(targetOf)))
  const variable = new RegExp(['process', 'env'].join('\\.'), 'g')
  const whole = new RegExp(`${variable.source}(?!\\s*(\\.|\\[|\\?\\.))`, 'g')
  const wrong = packages.flatMap(p =>
    p.files
      .filter(file => !file.development && !file.path.endsWith('/config.ts'))
      .filter(file => {
        const reads = file.text.match(variable)?.length ?? 0
        const isEntry = (p.kind === 'service' || p.kind === 'app') && !imported.has(file.path)
        return reads > (isEntry ? (file.text.match(whole)?.length ?? 0) : 0)
      })
      .map(file => file.path),
  )
  expect(wrong).toEqual([])
})

/** The patterns are built from parts of words. Otherwise, this file would contain a forbidden text. */
const forbidden: readonly [what: string, pattern: RegExp][] = [
  [
    'a test that is left out or runs alone',
    new RegExp(`\\b(?:test|it|describe|suite)(?:\\.\\w+)*\\.(?:${['on' + 'ly', 'sk' + 'ip', 'to' + 'do'].join('|')})\\b`),
  ],
  ['an open end', new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`)],
  ['a path of somebody’s machine', new RegExp(`/(?:${['ro' + 'ot', 'ho' + 'me', 'Us' + 'ers'].join('|')})/\\w`)],
  ['a switched-off check', new RegExp(`@ts-(?:${['ig' + 'nore', 'no' + 'check'].join('|')})\\b`)],
]

test.each(forbidden)('no file contains %s', (_, pattern) => {
  expect(allFiles.filter(file => pattern.test(file.text)).map(file => file.path)).toEqual([])
})

test('one inflater reads bodies and records', () => {
  // Two other decoders are allowed, because they read no spans: the decoder of the broker's protocol, and the decoder of the embedded
  // engine's listener. The fixtures have their own decoder, so that a test does not depend on the code that it tests.
  const inflater = ['libs/otlp/src/inflate.ts', 'libs/otlp/src/kept-zstd.ts']
  const allowed = [...inflater, 'libs/log/src/kafka/zstd.ts', 'libs/embedded-engine/src/http/body.ts', 'libs/testkit/src/otlp-fixtures.ts']
  const inflating = new RegExp(
    `\\b(?:${['gun' + 'zip', 'inf' + 'late', 'zstd' + 'Decompress', 'brotli' + 'Decompress'].join('|')})(?:Raw)?(?:Sync)?\\(`,
  )
  const isLibrary = (f: SourceFile) =>
    !f.development && f.path.endsWith('.ts') && f.imports.some(({ specifier }) => specifier === 'node:zlib')
  const found = packages.flatMap(p => p.files.filter(f => isLibrary(f) && inflating.test(f.text)).map(f => f.path))
  expect(found.filter(path => !allowed.includes(path))).toEqual([])
})

test('code that opens a record of spans first checks whether it is an entity, because both are on spans.staging and later topics', () => {
  /**
   * Some files open records without this check, because the code of other files has already checked these records. Maps each file that
   * opens such records to the files that check these records.
   */
  const handed: Readonly<Record<string, readonly string[]>> = {
    'libs/schema/src/span-batch.ts': ['services/staging-propagator/src/partition/filled-record.ts'],
    'libs/conservation/src/check/span-keys.ts': ['libs/schema/src/envelope.ts'],
    'libs/observations/src/span-view/decode-record.ts': [
      'services/events-writer/src/destinations/entity-tables.ts',
      'services/staging-propagator/src/reading/worker.ts',
    ],
    'services/merger/src/reading/worker.ts': ['services/merger/src/span-partition.ts'],
  }
  const opening = /\b(?:decodeSpanBatch|fillSpanBatch)\(|\b(?:createTraceReader|createSpanParts)\(\{/
  const asking = new Set(packages.flatMap(p => p.files.filter(({ text }) => /\bisEntity\b/.test(text)).map(({ path }) => path)))
  const opens = ({ development, path, text }: SourceFile) => !development && path.endsWith('.ts') && opening.test(text)
  const found = packages.flatMap(p => p.files.filter(opens).map(({ path }) => path))
  expect(found.length).toBeGreaterThan(Object.keys(handed).length)
  expect(found.flatMap(path => handed[path] ?? [path]).filter(path => !asking.has(path))).toEqual([])
})

describe('outside bytes cannot end a process (F52)', () => {
  const production = packages
    // These tests do not check the SDK and the web app, because the SDK and the web app read only responses of their own server.
    .filter(p => p.kind !== 'package' && p.folder !== 'apps/web' && !['@svc-server/testkit', '@svc-server/dev-servers'].includes(p.name))
    .flatMap(p => p.files.filter(file => !file.development))
  const linesWith = (pattern: RegExp, allowed: readonly string[]) =>
    production
      .filter(file => !allowed.includes(file.path))
      .flatMap(file => file.text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${file.path}:${at + 1} ${line.trim()}`] : [])))

  test('only createHttpServer and createStreamServer create HTTP servers, whose handlers may throw', () => {
    const makers = ['libs/http/src/listeners/server.ts', 'libs/http/src/listeners/streams.ts', 'libs/http/src/listeners/listen.ts']
    expect(linesWith(/\bcreateServer\b/, makers)).toEqual([])
  })

  test('URLs are only made of our own files and checked settings; parseTarget reads request targets', () => {
    expect(linesWith(/new URL\((?!.*import\.meta\.url)/, [])).toEqual([])
    // SDKs before v6 encode a dataset's name twice. `datasets.ts` therefore decodes the name a second time. The caller of `datasets.ts`
    // catches the errors of decodeURIComponent.
    const caught = ['services/public-api/src/operations/datasets/datasets.ts']
    expect(linesWith(/\bdecodeURI(Component)?\(/, caught)).toEqual([])
  })

  test('parseJson reads foreign JSON, because JSON.parse confuses keys with escapes (ADR 0038)', () => {
    const reads = /\bJSON\.parse\b|\.json(?:<.*>)?\(\)|\} = JSON\b/
    // These files read only JSON of our own, so no client can choose its keys.
    const ours = [
      ...[
        'log/src/embedded/directory-lock',
        'stores/src/data-directory/secrets',
        'service/src/logs/pretty',
        'stream/src/intent',
        'owner/src/state/session',
      ],
      ...['conservation/src/row-audit/progress', 'commands/src/socket/serve', 'commands/src/socket/send'],
    ].map(file => `libs/${file}.ts`)
    const propagator = ['partition/progress', 'state/table']
    const allowed = [
      'libs/json/src/parse-json.ts',
      'services/merger/src/state/entity-table.ts',
      ...ours,
      ...propagator.map(file => `services/staging-propagator/src/${file}.ts`),
      'libs/column-store/src/client.ts',
      'libs/column-store/src/identity.ts',
    ]
    expect(linesWith(reads, allowed).filter(line => !/:\d+ (?:\/\/|\*|\/\*)/.test(line))).toEqual([])
  })

  test('recordOf replaces z.record, which builds objects of clients’ names member by member (ADR 0038)', () => {
    expect(linesWith(/\bz\.(?:partialR|r)ecord\(/, [])).toEqual([])
  })

  test('listOf replaces z.array, which makes an issue for each wrong element, while a response has only a few', () => {
    expect(linesWith(/\.array\(/, []).filter(line => line.startsWith('services/public-api/'))).toEqual([])
  })

  test('JSON.parse and parseJson are directly inside a try, except for data that this process wrote itself', () => {
    const own = ['services/staging-propagator/src/state/table.ts', 'libs/json/src/parse-json.ts']
    // The database driver calls the code in these files. The driver catches the errors and returns them to its caller.
    const driven = ['libs/column-store/src/client.ts', 'libs/relational/src/store/json-columns.ts']
    /**
     * Both JSON.parse and parseJson can throw. Returns a pattern that finds the calls of these functions. If an import renames parseJson,
     * the pattern contains the new name.
     */
    const callsIn = (text: string): RegExp => {
      const [, names = ''] = /import \{([^}]*)\} from '@svc-server\/json'/.exec(text) ?? []
      const [, alias] = /\bparseJson(?: as (\w+))?/.exec(names) ?? []
      return names.includes('parseJson') ? new RegExp(`\\bJSON\\.parse\\(|(?<![\\w.])${alias ?? 'parseJson'}\\(`) : /\bJSON\.parse\(/
    }
    const bare = production
      .filter(file => ![...own, ...driven].includes(file.path))
      .flatMap(file => {
        const lines = file.text.split('\n')
        const calls = callsIn(file.text)
        return lines.flatMap((line, at) =>
          calls.test(line) && !/\btry \{/.test(lines.slice(Math.max(0, at - 3), at + 1).join('\n')) ? [`${file.path}:${at + 1}`] : [],
        )
      })
    expect(bare).toEqual([])
  })
})

test('no list of unknown length becomes the arguments of a call: a hundred thousand of them overflow the stack', () => {
  const spread = /(?:push|unshift|splice|fromCharCode|Math\.(?:min|max))\((?:[^(){}[\]]*,\s*)?\.\.\./
  const wrong = packages
    .flatMap(p => p.files)
    .filter(file => !file.development && spread.test(file.text))
    .map(file => file.path)
  expect(wrong).toEqual([])
})

test('the v3 files are one list of existing files, and each file to edit at their removal names some of them', async () => {
  const { diesWithV3, editedWithV3 } = (await import(join(root, 'dependency-cruiser.config.mjs'))) as {
    readonly diesWithV3: readonly { readonly what: string; readonly path: string }[]
    readonly editedWithV3: readonly string[]
  }
  const files = packages.flatMap(p => p.files)
  expect(diesWithV3.filter(({ path }) => !files.some(file => new RegExp(path).test(file.path))).map(({ what }) => what)).toEqual([])
  const dies = new RegExp(diesWithV3.map(({ path }) => path).join('|'))
  const namesSome = ({ imports }: SourceFile) =>
    imports.some(item => {
      if (item.specifier.startsWith('.')) return dies.test(targetOf(item))
      const other = byName.get(packageOf(item.specifier) ?? '')
      return other?.files.some(file => dies.test(file.path)) === true
    })
  expect(editedWithV3.filter(path => !files.some(file => new RegExp(path).test(file.path) && namesSome(file)))).toEqual([])
})

test('no file is a collection of unrelated code', () => {
  const drawers = /(^|\/)(utils?|helpers?|common|misc|manager)(\.|\/|$)/
  expect(allFiles.map(file => file.path).filter(path => drawers.test(path))).toEqual([])
})

test('every lib can be imported', () => {
  expect(packages.filter(p => p.kind === 'lib' && p.exports.length === 0).map(p => p.name)).toEqual([])
})

test('the version of the workspace is that of its packages, images and chart; packages of the SDK have their own', () => {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const manifests = globSync('{libs,services,apps,tools}/*/package.json', { cwd: root })
  const deployed = [
    'Dockerfile',
    'docker-compose.yml',
    'docker-compose.dev.yml',
    ...globSync('deploy/helm/**/*.{yaml,md,txt,tpl}', { cwd: root }),
  ]
  const patterns = [
    /^ {2}"version": "(\S+)"/gm,
    /\bsvc-(?:service|operator|\$image):(\d\S*)/g,
    /\bappVersion: (\S+)/g,
    /kubernetes\.io\/version: "(\S+)"/g,
  ]
  const found = [...manifests, ...deployed].flatMap(path => {
    const versions = patterns.flatMap(pattern => [...read(path).matchAll(pattern)].map(([, said]) => said))
    return [...new Set(versions)].map(said => `${path}: ${said}`)
  })
  expect(found.length).toBeGreaterThan(manifests.length + 5)
  expect(found.filter(line => !line.endsWith(`: ${workspace.version}`))).toEqual([])
})

test('no file is longer than 400 lines', () => {
  const linesOf = ({ text }: SourceFile) => text.split('\n').length - 1
  const long = allFiles.filter(file => !file.path.includes('/generated/') && linesOf(file) > 400)
  expect(long.map(file => `${file.path}: ${linesOf(file)} lines`)).toEqual([])
})
