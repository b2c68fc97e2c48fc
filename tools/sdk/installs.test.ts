// Each `npm install` command in the documents must name all packages that the next example needs. The command must also name the versions
// of OpenTelemetry. Without these versions, npm combines two major versions of OpenTelemetry and refuses the installation. The nightly run
// also installs the packages.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { snippetsOf } from '../../apps/web/src/first-run/snippets.ts'
import { inNightly } from '../../libs/testkit/src/config.ts'
import { packSdk, sdkPackages } from './build.ts'
import { npmInstall } from './npm.ts'

const root = resolve(import.meta.dirname, '../..')
const command = /^(?:\/\/ |.*after `)?npm install ([^`\n]+)/gm
const imported = /^import .* from '((?:@[\w-]+\/)?[\w-]+)(?:\/[\w/-]+)?'$/gm

interface Install {
  readonly where: string
  readonly packages: readonly string[]
  /** Packages that the page's code imports between this install command and the next one, or the end of the page. */
  readonly imports: readonly string[]
}

function installsOf(where: string, text: string): readonly Install[] {
  const found = [...text.matchAll(command)]
  return found.map((match, at) => {
    const until = text.slice(match.index, found[at + 1]?.index)
    return { where, packages: match[1]!.split(' '), imports: [...new Set([...until.matchAll(imported)].map(([, name]) => name!))] }
  })
}

const pages = [
  'docs/sdk/quickstarts.md',
  'docs/sdk/migrating-from-v5.md',
  'docs/reading.md',
  ...sdkPackages.map(name => `packages/${name}/README.md`),
]
const [snippet] = snippetsOf({ address: '', publicKey: '', secretKey: '' }).filter(({ id }) => id === 'js')
const installs = [
  ...pages.flatMap(page => installsOf(page, readFileSync(join(root, page), 'utf8'))),
  ...installsOf('the first page of the web app', snippet!.code),
]
const nameOf = (entry: string): string => entry.replace(/(?<=.)@.*$/, '')

test('every page has a command', () => {
  expect([...new Set(installs.map(({ where }) => where))]).toHaveLength(pages.length + 1)
})

test.each(installs)('$where installs what its example imports: $packages', ({ packages, imports }) => {
  expect(packages.map(nameOf)).toEqual(expect.arrayContaining([...imports]))
})

test.each(installs)('$where installs the supported version of OpenTelemetry: $packages', ({ packages }) => {
  const telemetry = packages.filter(name => name.startsWith('@opentelemetry/'))
  for (const name of telemetry) expect(name).toMatch(/^@opentelemetry\/(api@1\.9|sdk-trace-\w+@2|exporter-trace-otlp-\w+@0\.223)$/)
  if (packages.includes('@svc/otel')) expect(packages.join()).toContain('@opentelemetry/exporter-trace-otlp-http@')
})

inNightly(() =>
  describe('npm', () => {
    let folder: string
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'svc-installs-'))
      await packSdk(join(folder, 'tarballs'))
    }, 600_000)
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    /** Before a release, the registry does not contain the SDK's packages. Returns tarballs of these packages. */
    function tarballsOf(name: string): readonly string[] {
      const tarball = readdirSync(join(folder, 'tarballs')).find(file => file.startsWith(`svc-${name}-`))!
      const { dependencies } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as {
        dependencies?: Readonly<Record<string, string>>
      }
      const own = Object.keys(dependencies ?? {}).filter(each => each.startsWith('@svc/'))
      return [join(folder, 'tarballs', tarball), ...own.flatMap(each => tarballsOf(each.slice('@svc/'.length)))]
    }

    test.each(installs)('$where: $packages', { timeout: 600_000 }, async ({ packages, imports }) => {
      const application = mkdtempSync(join(folder, 'application-'))
      writeFileSync(join(application, 'package.json'), JSON.stringify({ name: 'application', private: true, type: 'module' }))
      const entries = packages.flatMap(name => (name.startsWith('@svc/') ? tarballsOf(name.slice('@svc/'.length)) : [name]))
      npmInstall(application, ['--ignore-scripts', ...new Set(entries)])
      const text = imports.map(name => `await import('${name === 'next' ? 'next/server.js' : name}')`).join('\n')
      writeFileSync(join(application, 'imports.mjs'), text)
      const { stderr } = await promisify(execFile)(process.execPath, ['imports.mjs'], { cwd: application })
      expect(stderr).toBe('')
      // With two copies of the OpenTelemetry API, one copy would not see the spans of the other copy.
      const copies = readdirSync(join(application, 'node_modules'), { recursive: true, encoding: 'utf8' })
      expect(copies.filter(file => /(^|node_modules\/)@opentelemetry\/api\/package\.json$/.test(file)).length).toBeLessThanOrEqual(1)
    })
  }),
)
