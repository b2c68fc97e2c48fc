// Tests the SDK as applications use it. The test packs the SDK, installs it into an empty project, and imports, bundles and type-checks it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAsked } from '../../libs/testkit/src/config.ts'
import { type Application, installSdk } from './application.ts'
import { sdkPackages } from './build.ts'
import { exampleFunctions, migratingExamples, readmeProgram } from './examples.ts'
import { absentProgram, removedApplication } from './removed.ts'

const root = resolve(import.meta.dirname, '../..')
const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
const consumer = fixture('consumer.txt')
const consumerOfLangChain = fixture('consumer-langchain.txt')
let application: Application
let byImport: Readonly<Record<string, { readonly names: readonly string[]; readonly globals: number; readonly timers: number }>>
let byRequire: Readonly<Record<string, readonly string[]>>
beforeAll(async () => {
  application = await installSdk(['@langchain/openai', '@opentelemetry/sdk-trace-node'])
  // One process imports all packages, one after the other, and counts the globals and timers that each import adds.
  application.write(
    'by-import.mjs',
    `const timers = () => process.getActiveResourcesInfo().filter(each => each === 'Timeout').length
     const counts = () => [Reflect.ownKeys(globalThis).length, timers()]
     const found = {}
     for (const name of ${JSON.stringify(sdkPackages)}) {
       const before = counts()
       const names = Object.keys(await import('@svc/' + name)).sort()
       const [globals, timers] = counts().map((count, at) => count - before[at])
       found[name] = { names, globals, timers }
     }
     process.stdout.write(JSON.stringify(found))`,
  )
  application.write(
    'by-require.cjs',
    `const found = ${JSON.stringify(sdkPackages)}.map(name => [name, Object.keys(require('@svc/' + name)).sort()])
     process.stdout.write(JSON.stringify(Object.fromEntries(found)))`,
  )
  byImport = JSON.parse(application.run('by-import.mjs')) as typeof byImport
  byRequire = JSON.parse(application.run('by-require.cjs')) as typeof byRequire
})
afterAll(() => application?.remove())

describe.each(sdkPackages)('@svc/%s', name => {
  test('has the promised files and manifest', () => {
    const folder = application.installed(name)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => !file.startsWith('node_modules'))
    const built = ['index.cjs', 'index.cjs.map', 'index.d.cts', 'index.d.mts', 'index.mjs', 'index.mjs.map'].map(file => `dist/${file}`)
    expect(files.sort()).toEqual([...['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'], ...built].sort())
    const manifest = application.manifest(name)
    expect(manifest).toMatchObject({ type: 'module', sideEffects: false, license: 'MIT', engines: { node: '>=22' } })
    expect(manifest).toMatchObject({ main: './dist/index.cjs', module: './dist/index.mjs', types: './dist/index.d.cts' })
    expect(manifest.exports).toEqual({
      '.': {
        import: { types: './dist/index.d.mts', default: './dist/index.mjs' },
        require: { types: './dist/index.d.cts', default: './dist/index.cjs' },
      },
    })
    for (const conditions of Object.values(manifest.exports['.']!)) expect(Object.keys(conditions)).toEqual(['types', 'default'])
    for (const [dependency, range] of Object.entries(manifest.dependencies ?? {})) {
      if (dependency.startsWith('@svc/')) expect(range).toBe(`^${manifest.version}`)
    }
  })

  test('is the same by import and by require, and an import has no side effects', () => {
    const { names, globals, timers } = byImport[name]!
    expect(names.join()).toMatch(/^\w+(,\w+)*$/)
    expect([globals, timers]).toEqual([0, 0])
    expect(byRequire[name]).toEqual(names)
  })

  test('needs no built-in module of Node', () => {
    for (const file of ['index.mjs', 'index.cjs']) {
      const text = readFileSync(join(application.installed(name), 'dist', file), 'utf8')
      const imported = [...text.matchAll(/(?:from\s*|require\(|import\()["']([^"']+)["']/g)].map(match => match[1])
      const declared = Object.keys({ ...application.manifest(name).dependencies, ...application.manifest(name).peerDependencies })
      for (const each of imported) expect(declared).toContain(/^(?:@[^/]+\/)?[^/]+/.exec(each!)![0])
    }
  })
})

/** Maximum size of each export in bytes. The size includes all imports of the export, after minifying and compressing. */
const budgets: readonly (readonly [name: string, from: string, bytes: number])[] = [
  ['SvcMedia', '@svc/core', 3072],
  ['SVC_SDK_VERSION', '@svc/core', 128],
  ['startActiveObservation', '@svc/tracing', 8192],
  ['createTraceId', '@svc/tracing', 1024],
  ['observeOpenAI', '@svc/openai', 12288],
  ['SvcBrowserClient', '@svc/browser', 3072],
]
const bundle = async (contents: string, minify: boolean) => {
  const options = { bundle: true, minify, format: 'esm', platform: 'browser', target: 'es2022', write: false } as const
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: application.folder } })
  return outputFiles[0]!.text
}

test.each(budgets)('%s of %s has at most %i bytes in a bundle', async (name, from, bytes) => {
  const size = gzipSync(await bundle(`export { ${name} } from '${from}'`, true)).length
  expect(size).toBeLessThanOrEqual(bytes)
})

test('what v6 removed is absent in JavaScript', () => {
  application.write('absent.mjs', absentProgram)
  expect(application.run('absent.mjs')).toBe('')
})

test('the processor runs without process and Buffer, and sends each header once', async () => {
  const text = await bundle(
    `import { SvcSpanProcessor } from '@svc/otel'
     import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
     const processor = new SvcSpanProcessor({
       publicKey: 'pk', secretKey: 'sk', baseUrl: 'https://svc.example',
       additionalHeaders: { 'X-SVC-INGESTION-VERSION': '3', 'content-type': 'application/json' },
     })
     new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('svc-sdk').startSpan('edge').end()
     globalThis.done = processor.forceFlush()`,
    false,
  )
  const requests: { url: string; headers: Record<string, string>; body: Uint8Array }[] = []
  const fetch = async (url: string, init: { headers: Record<string, string>; body: Uint8Array }) => {
    requests.push({ url, ...init })
    return new Response('{}')
  }
  const edge = { fetch, setTimeout, clearTimeout, URL, TextEncoder, TextDecoder, AbortController, performance, console, btoa, atob, crypto }
  const globals: Record<string, unknown> = { ...edge, navigator: { userAgent: 'edge' }, queueMicrotask }
  runInNewContext(text, globals)
  await globals['done']
  expect(requests).toHaveLength(1)
  const [{ url, headers, body }] = requests as [(typeof requests)[0]]
  expect(url).toBe('https://svc.example/api/public/otel/v1/traces')
  const names = Object.keys(headers).map(each => each.toLowerCase())
  expect(new Set(names).size).toBe(names.length)
  expect(names).not.toContain('content-encoding')
  expect(headers['X-SVC-INGESTION-VERSION']).toBe('3')
  expect(new TextDecoder().decode(body)).toContain('"edge"')
})

describe('types', () => {
  const strict = { strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true, target: 'es2022', types: ['node'] }
  const forms: readonly (readonly [string, string, object])[] = [
    ['ES modules', 'consumer.mts', { module: 'node16', moduleResolution: 'node16', lib: ['es2022', 'dom'] }],
    ['CommonJS', 'consumer.cts', { module: 'node16', moduleResolution: 'node16', lib: ['es2022', 'dom'] }],
    ['bundlers', 'consumer.ts', { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'] }],
  ]
  function check(texts: Readonly<Record<string, string>>, options: object): void {
    for (const [file, text] of Object.entries(texts)) application.write(file, text)
    application.write('tsconfig.json', JSON.stringify({ compilerOptions: { ...strict, ...options }, files: Object.keys(texts) }))
    const { stdout, status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--singleThreaded'], {
      cwd: application.folder,
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  }

  /**
   * Returns the module formats in which this run checks the program with the number `program`. The quick run checks each program in only
   * one format: a different format for each program. The nightly run checks each program in all formats.
   */
  const asked = (program: number) => forms.filter((_, at) => isAsked(at, program, forms.length))

  test.each(asked(0))('tell %s which parts v6 has and which parts it removed', (_, file, options) => {
    check({ [file]: consumer }, options)
  })

  test.each(asked(1))('tell %s what an upgrade has to change, line by line', (_, file, options) => {
    check({ [file]: removedApplication }, options)
  })

  test.each(asked(2))('tell %s that a handler is a callback of LangChain', (_, file, options) => {
    check({ [file]: consumerOfLangChain }, { ...options, exactOptionalPropertyTypes: false })
  })

  test('accept the examples of every README', () => {
    const [, , options] = forms[2]!
    const programs = Object.fromEntries(sdkPackages.map(name => [`readme-${name}.ts`, readmeProgram(name)]))
    check(programs, { ...options, exactOptionalPropertyTypes: false })
  })

  test('accept the output of the codemod for an application of v5, and every example of the page on migrating', () => {
    const [, , options] = forms[2]!
    const examples = migratingExamples('v6')
    expect(examples).toHaveLength(migratingExamples('v5').length)
    const moved = readFileSync(join(root, 'tools/codemod/fixtures/moves.after.txt'), 'utf8')
    check({ 'moved.ts': moved, 'migrating.ts': [fixture('migrating.txt'), exampleFunctions(examples)].join('\n') }, options)
  })
})
