// A small workspace violates each rule of dependency-cruiser.config.mjs. Each rule must report its violation.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files: Readonly<Record<string, string>> = {
  'libs/errors/src/index.ts': `import '../../modes/src/index.ts'`,
  'libs/modes/src/index.ts': `import '../../errors/src/index.ts'`,
  'libs/schema/src/index.ts': `import '../../modes/src/index.ts'\nimport '../../errors/src/index.ts'`,
  'libs/pricing/src/index.ts': `import '../../otlp/src/index.ts'`,
  'libs/otlp/src/index.ts': `import type { one } from './one.ts'\nexport const two = (given: typeof one) => given`,
  'libs/otlp/src/one.ts': `import { two } from './index.ts'\nexport const one = two`,
  'libs/log/src/a/first.ts': `import '../b/second.ts'`,
  'libs/log/src/a/third.ts': '',
  'libs/log/src/b/second.ts': `import '../a/third.ts'`,
  'libs/log/src/index.ts': `import '../../../services/writer/src/main.ts'`,
  'libs/log/test/suite.ts': '',
  'libs/testkit/src/index.ts': '',
  'libs/observations/src/span-view/keys.ts': `import '../rules/rules.ts'`,
  'libs/observations/src/rules/rules.ts': '',
  'libs/observations/src/block/rows.ts': `import '../trace/join.ts'\nimport '../columns/name.ts'`,
  'libs/observations/src/trace/join.ts': '',
  'libs/observations/src/columns/name.ts': `import '../dialects/registry.ts'\nimport '../dialects/genkit/dialect.ts'`,
  'libs/observations/src/dialects/registry.ts': '',
  'libs/observations/src/dialects/genkit/dialect.ts': `import '../registry.ts'`,
  'libs/relational/src/tenancy/handles.ts': `import '../store/store.ts'`,
  'libs/relational/src/store/store.ts': '',
  'libs/relational/src/things/repository.ts': `import '../store/store.ts'\nimport '../tenancy/handles.ts'`,
  'libs/dev-servers/src/index.ts': '',
  'services/writer/src/main.ts': `import '../../gateway/src/main.ts'\nimport './nowhere.ts'\nimport '../../../libs/testkit/src/index.ts'`,
  'services/writer/test/writer.test.ts': `import '../../../libs/log/test/suite.ts'\nimport '../../gateway/src/main.ts'`,
  'services/gateway/src/main.ts': `import '../../../libs/dev-servers/src/index.ts'\nimport '../../../apps/web/src/main.ts'`,
  'services/public-api/src/operations/projects.ts': `import '../validation/parse-json.ts'`,
  'services/public-api/src/validation/parse-json.ts': '',
  'libs/api/src/operation.ts': `import '../../errors/src/index.ts'`,
  'apps/web/src/main.ts': `import '../../../packages/core/src/index.ts'\nimport 'node:fs'`,
  'packages/core/src/index.ts': `import '../../../libs/otlp/src/one.ts'\nimport 'node:fs'\nimport '../../otel/src/index.ts'\nimport '../../../tools/build.ts'`,
  'packages/otel/src/index.ts': '',
  'tools/build.ts': '',
}

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-fences-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

interface Report {
  readonly summary: { readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[] }
}

test('every rule finds only what it forbids', () => {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const config = join(root, 'dependency-cruiser.config.mjs')
  const { stdout } = spawnSync(
    process.execPath,
    [program, '--config', config, '--output-type', 'json', 'libs', 'services', 'apps', 'packages'],
    {
      cwd: directory,
      encoding: 'utf8',
    },
  )
  const { summary } = JSON.parse(stdout) as Report
  const found = summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
  expect([...new Set(found)].sort()).toEqual([
    'a-dialect-does-not-know-the-registry: libs/observations/src/dialects/genkit/dialect.ts',
    'bodies-are-parsed-by-payload-workers: services/public-api/src/operations/projects.ts',
    'columns-know-the-registry-and-no-dialect: libs/observations/src/columns/name.ts',
    'core-imports-no-package: packages/core/src/index.ts',
    'errors-imports-nothing: libs/errors/src/index.ts',
    'every-import-is-there: services/writer/src/main.ts',
    'layers-of-the-mapping: libs/observations/src/block/rows.ts',
    'layers-of-the-mapping: libs/observations/src/span-view/keys.ts',
    'libs-import-libs: libs/log/src/index.ts',
    'modes-imports-nothing: libs/modes/src/index.ts',
    'no-circle-of-files: libs/errors/src/index.ts',
    'no-circle-of-files: libs/otlp/src/index.ts',
    'no-circle-of-folders: libs/errors/src',
    'no-circle-of-folders: libs/log/src/a',
    'no-circle-of-folders: libs/log/src/b',
    'no-circle-of-folders: libs/modes/src',
    'no-tests-of-others: services/writer/test/writer.test.ts',
    'nothing-of-tests-in-production: packages/core/src/index.ts',
    'nothing-of-tests-in-production: services/writer/src/main.ts',
    'packages-know-no-runtime: packages/core/src/index.ts',
    'pages-know-no-runtime: apps/web/src/main.ts',
    'pricing-knows-no-spans: libs/pricing/src/index.ts',
    'repositories-take-a-handle: libs/relational/src/things/repository.ts',
    'schema-imports-modes-alone: libs/schema/src/index.ts',
    'servers-for-development-are-the-clusters: services/gateway/src/main.ts',
    'services-and-apps-stand-beside-each-other: services/writer/src/main.ts',
    'services-do-not-import-apps: services/gateway/src/main.ts',
    'the-contract-is-pure: libs/api/src/operation.ts',
    'the-sdk-and-the-server-are-strangers: packages/core/src/index.ts',
    'the-server-does-not-import-the-sdk: apps/web/src/main.ts',
    'the-web-app-knows-the-contract-as-types: apps/web/src/main.ts',
  ])
})
