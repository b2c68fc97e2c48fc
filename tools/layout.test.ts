// What no tool says of the layout (architecture §1): what no file may contain, and what a package may import
// without saying so. Who may import whom is in dependency-cruiser.config.mjs, what nobody uses in knip.jsonc.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import workspace from '../package.json' with { type: 'json' }
import { importsOf, type Package, packageOf, readWorkspace, type SourceFile, targetOf } from './checks/workspace.ts'

const root = join(import.meta.dirname, '..')
const { packages, rootDependencies, otherFiles } = readWorkspace(root)
const byName = new Map(packages.map(p => [p.name, p]))
const allFiles = [...packages.flatMap(p => p.files), ...otherFiles]

test('the reader sees every form of import, and nothing else', () => {
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
    // import x from, and the text "from 'nowhere'" in a comment
    const from = 'j'
    export const k = { from: 'k' }
  `
  expect(importsOf(text).sort()).toEqual(['../g.ts', './d.ts', './h.json', 'a', 'b', 'e', 'f', 'i'])
})

test('the workspace is seen whole', () => {
  expect(packages.length).toBeGreaterThan(10)
  for (const name of ['schema', 'modes', 'log', 'otlp']) {
    expect(byName.get(`@svc-server/${name}`)!.files.length, name).toBeGreaterThan(1)
  }
})

test('write modes and behaviours are listed in libs/modes alone', () => {
  const lists = /'(?:legacy|dual|events_only)'\s*[|,]\s*'(?:legacy|dual|events_only)'|'dual_write'\s*[|,]\s*'direct'/
  const found = packages.filter(p => p.name !== '@svc-server/modes').flatMap(p => p.files.filter(file => lists.test(file.text)))
  expect(found.map(file => file.path)).toEqual([])
})

/** Of an export such as `./*`. */
const isBelow = (pattern: string, subpath: string) => pattern.endsWith('*') && subpath.startsWith(pattern.slice(0, -1))

test('a package is entered through what it exports', () => {
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

test('what a file imports is a dependency of its package', () => {
  const wrong: string[] = []
  for (const p of packages) {
    for (const file of p.files) {
      const allowed = [...p.dependencies, ...(file.development ? [...p.devDependencies, ...rootDependencies] : [])]
      // What it shows to be copied is another application's.
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

test('what a package names as a dependency is imported', () => {
  // Types of a package, and packages whose program a script runs, have no import.
  const isUsed = (p: Package, files: readonly SourceFile[], name: string) =>
    name.startsWith('@types/') ||
    name === 'protobufjs-cli' ||
    // Peers of the SDK's span processor, which suites of other packages load.
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

test('only config.ts reads the environment; an entry point may hand it over whole', () => {
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

/** What no file may contain. Written in parts, so that this file does not contain it either. */
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
  // Of it, also the decoder that it keeps. Beside it: the codec of the broker's protocol, and the front of the embedded engine, which takes bodies
  // as streams. Neither reads spans. And recorded requests: what they were is not to be said by what is tested with them.
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

test('who opens a record of spans asks first whether it is an entity: from spans.staging on they lie among each other', () => {
  /** Who is handed the record, and who has asked. */
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
    // A package of the SDK runs in an application, the web app in a browser: both read what their own server responds.
    .filter(p => p.kind !== 'package' && p.folder !== 'apps/web' && !['@svc-server/testkit', '@svc-server/dev-servers'].includes(p.name))
    .flatMap(p => p.files.filter(file => !file.development))
  const linesWith = (pattern: RegExp, allowed: readonly string[]) =>
    production
      .filter(file => !allowed.includes(file.path))
      .flatMap(file => file.text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${file.path}:${at + 1} ${line.trim()}`] : [])))

  test('HTTP servers are made by createHttpServer and createStreamServer alone, whose handlers may throw', () => {
    const makers = ['libs/http/src/listeners/server.ts', 'libs/http/src/listeners/streams.ts', 'libs/http/src/listeners/listen.ts']
    expect(linesWith(/\bcreateServer\b/, makers)).toEqual([])
  })

  test('a URL is made of our own files and checked settings; a request target is read by parseTarget', () => {
    expect(linesWith(/new URL\((?!.*import\.meta\.url)/, [])).toEqual([])
    // Caught where it throws: a name that clients of before v6 encode twice.
    const caught = ['services/public-api/src/operations/datasets/datasets.ts']
    expect(linesWith(/\bdecodeURI(Component)?\(/, caught)).toEqual([])
  })

  test('JSON of others is read by parseJson: JSON.parse takes keys with escapes for others (ADR 0038)', () => {
    const reads = /\bJSON\.parse\b|\.json(?:<.*>)?\(\)|\} = JSON\b/
    // What a process of ours has written, for itself or for another: no key in it is a tenant's.
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
      // By the client, which is given parseJson.
      'libs/column-store/src/client.ts',
      'libs/column-store/src/identity.ts',
    ]
    expect(linesWith(reads, allowed).filter(line => !/:\d+ (?:\/\/|\*|\/\*)/.test(line))).toEqual([])
  })

  test('z.record makes objects of clients’ names member by member: recordOf does not (ADR 0038)', () => {
    expect(linesWith(/\bz\.(?:partialR|r)ecord\(/, [])).toEqual([])
  })

  test('z.array makes an issue for each wrong element of clients’ lists: listOf stops at the last that is answered', () => {
    expect(linesWith(/\.array\(/, []).filter(line => line.startsWith('services/public-api/'))).toEqual([])
  })

  test('JSON.parse and parseJson stand right inside a try; elsewhere only for what this process wrote itself', () => {
    const own = ['services/staging-propagator/src/state/table.ts', 'libs/json/src/parse-json.ts']
    // Called by a driver, which tells who asked.
    const driven = ['libs/column-store/src/client.ts', 'libs/relational/src/store/json-columns.ts']
    /** Calls of either by what the file calls it: the one of the JSON lib throws, too. */
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

test('what dies with v3 is one list, of files that are there; what is edited on that day names some of them', async () => {
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

test('no file is a drawer for everything', () => {
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
