// Import rules, file by file (architecture §1). The entry points of a package need no rule: they are its `exports`, which Node enforces.

/** Files that run only in tests, benches and tools. */
const development = '\\.test\\.ts$|/(test|bench)/|^(tools|bench)/|^vitest'
const ofTests = '^libs/testkit/'
/** In the rules below, `$1` stands for the text that matches the first pair of brackets in the rule's `from`. */
const kind = '^(libs|services|apps|packages)/[^/]+/'

const layers = [
  {
    name: 'services-and-apps-stand-beside-each-other',
    comment: 'Except in tests, no service imports another service, and no app imports another app.',
    from: { path: '^(services|apps)/([^/]+)/', pathNot: development },
    to: { path: '^$1/', pathNot: '^$1/$2/' },
  },
  { name: 'services-do-not-import-apps', from: { path: '^services/' }, to: { path: '^apps/' } },
  { name: 'libs-import-libs', from: { path: '^libs/' }, to: { path: '^(services|apps|tools|bench)/' } },
  {
    name: 'the-sdk-and-the-server-are-strangers',
    comment: 'Packages run in the applications of their users. Packages share the wire format with the server, but no code.',
    from: { path: '^packages/' },
    to: { path: '^(libs|services|apps|tools|bench)/' },
  },
  {
    name: 'the-server-does-not-import-the-sdk',
    from: { path: '^(libs|services|apps)/', pathNot: development },
    to: { path: '^packages/' },
  },
  {
    name: 'packages-know-no-runtime',
    comment: 'Packages run in browsers and on edge runtimes, which have no built-in modules of Node.',
    from: { path: '^packages/', pathNot: development },
    to: { dependencyTypes: ['core'] },
  },
  { name: 'core-imports-no-package', from: { path: '^packages/core/src/' }, to: { path: '^packages/(?!core/)' } },
  { name: 'modes-imports-nothing', from: { path: '^libs/modes/src/', pathNot: development }, to: { pathNot: '^libs/modes/src/' } },
  { name: 'errors-imports-nothing', from: { path: '^libs/errors/src/', pathNot: development }, to: { pathNot: '^libs/errors/src/' } },
  {
    name: 'the-contract-is-pure',
    comment: 'Browsers and the SDK import the operations, so the operations must depend only on zod.',
    from: { path: '^libs/api/src/', pathNot: development },
    to: { pathNot: ['^libs/api/src/', '^node_modules/.*zod'] },
  },
  {
    name: 'pages-know-no-runtime',
    comment:
      'The web app runs in browsers. From the workspace, the web app imports only the types of the contract, which add nothing to the bundle.',
    from: { path: '^apps/web/src/', pathNot: development },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'the-web-app-knows-the-contract-as-types',
    comment: 'Imported schemas would add a validator of 60 KB to every page.',
    from: { path: '^apps/web/src/', pathNot: development },
    to: { path: '^(libs|services|packages)/|/node_modules/zod/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'schema-imports-modes-alone',
    from: { path: '^libs/schema/' },
    to: { path: kind, pathNot: '^libs/(schema|modes)/' },
  },
  {
    name: 'pricing-knows-no-spans',
    from: { path: '^libs/pricing/' },
    to: { path: '^libs/(observations|otlp|stream|log)/' },
  },
]

/** Folders of the mapping, lowest layer first. The folders in one entry must not import each other. */
const mappingLayers = ['span-view', 'rules', 'dialects', 'columns', '(?:block|trace)'].map((folder, at, all) => ({
  name: 'layers-of-the-mapping',
  from: { path: `^libs/observations/src/(${folder})/` },
  to: {
    path: '^libs/observations/src/',
    pathNot: ['^libs/observations/src/$1/', ...all.slice(0, at).map(below => `^libs/observations/src/${below}/`)],
  },
}))

const dialects = [
  {
    name: 'columns-know-the-registry-and-no-dialect',
    from: { path: '^libs/observations/src/', pathNot: '^libs/observations/src/dialects/' },
    to: { path: '^libs/observations/src/dialects/[^/]+/' },
  },
  {
    name: 'a-dialect-does-not-know-the-registry',
    from: { path: '^libs/observations/src/dialects/[^/]+/' },
    to: { path: '^libs/observations/src/dialects/registry\\.ts$' },
  },
]

const relational = [
  {
    name: 'repositories-take-a-handle',
    comment:
      'Repositories reach the store only through the handles of tenancy/. No repository imports Kysely or a function that opens the store.',
    from: { path: '^libs/relational/src/', pathNot: ['^libs/relational/src/(tenancy|store)/', development] },
    to: {
      path: '^libs/relational/src/store/|/node_modules/(kysely|pg|@electric-sql/pglite)/',
      pathNot: ['/kysely/dist/helpers/', '^libs/relational/src/store/migrations/backfill-steps\\.ts$'],
    },
  },
]

/**
 * Files that exist only for upgrades from v3. They are removed when upgrades from v3 are no longer supported. docs/architecture.md
 * describes the removal.
 */
export const diesWithV3 = [
  { what: 'the merger', path: '^services/merger/' },
  { what: 'merged traces and observations', path: '^libs/entities/' },
  {
    what: 'the backfill',
    path: '^(services/backfill-runner|libs/backfill)/|^libs/commands/src/commands/backfill\\.ts$|^services/public-api/src/operations/web-system/migration\\.ts$',
  },
  { what: 'the tables of v3', path: '^libs/schema/src/old-tables/(traces|observations)\\.ts$' },
  {
    what: 'rows of these tables',
    path: '^services/events-writer/src/destinations/(entity-[a-z]+|traces|observations)\\.ts$|^libs/observations/src/block/observation-encoder\\.ts$',
  },
  { what: 'the routes of the legacy API', path: '^(libs/api/src|libs/query/src|services/public-api/src/operations)/legacy/' },
]

/** If we remove the support of v3, we need to edit only these files. */
export const editedWithV3 = [
  '^apps/(cluster|standalone)/src/services\\.ts$',
  '^apps/web/src/api/operations\\.ts$',
  '^libs/api/src/operations\\.ts$',
  '^libs/commands/src/(commands|doctor/disk|doctor/work)\\.ts$',
  '^libs/schema/src/old-tables/(columns|ddl)\\.ts$',
  '^services/events-writer/src/destinations/(events|index)\\.ts$',
  '^services/public-api/src/(operations/index|work/preparations)\\.ts$',
  '^services/staging-propagator/src/reading/worker\\.ts$',
]

const v3 = [
  {
    name: 'what-dies-with-v3-is-named-in-lists-alone',
    comment:
      'If any other file imported the v3 file, the v3 file could not be removed. If a new list must import the v3 file, for example a list of operations, add the file of the list to editedWithV3.',
    from: { pathNot: [development, ofTests, ...diesWithV3.map(({ path }) => path), ...editedWithV3] },
    to: { path: diesWithV3.map(({ path }) => path) },
  },
]

const production = [
  {
    // Operations do not parse bodies themselves, because large bodies must be parsed in a worker thread.
    name: 'bodies-are-parsed-by-payload-workers',
    from: { path: '^services/public-api/src/(operations|request)/' },
    to: {
      path: '^(services/public-api/src/(validation/parse-json|events/(batch|score-batch|single-write))\\.ts|libs/json/)',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'nothing-of-tests-in-production',
    from: { path: kind, pathNot: [development, ofTests] },
    to: { path: [development, ofTests] },
  },
  {
    name: 'servers-for-development-are-the-clusters',
    from: { path: kind, pathNot: [development, ofTests, '^libs/dev-servers/', '^apps/cluster/'] },
    to: { path: '^libs/dev-servers/' },
  },
  {
    name: 'no-tests-of-others',
    comment: 'A suite that another package needs is exported by name or moved to libs/testkit.',
    from: { path: '^((?:libs|services|apps|packages)/[^/]+)/' },
    to: {
      path: '^(libs|services|apps|packages)/[^/]+/(test|bench)/',
      pathNot: [
        '^$1/',
        '^libs/column-store/test/native/native-engine\\.ts$',
        '^libs/relational/test/stores\\.ts$',
        '^apps/standalone/test/directory\\.ts$',
        '^services/public-api/test/identity-provider\\.ts$',
      ],
    },
  },
]

const circles = [
  { name: 'no-circle-of-files', from: {}, to: { circular: true } },
  { name: 'no-circle-of-folders', scope: 'folder', from: {}, to: { circular: true } },
]

export default {
  forbidden: [
    ...[...layers, ...mappingLayers, ...dialects, ...relational, ...v3, ...production, ...circles].map(rule => ({
      severity: 'error',
      ...rule,
    })),
    { name: 'every-import-is-there', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^tools/recorder/|^(packages|apps)/[^/]+/dist/' },
    parser: 'tsc',
    // Cycles of type imports are forbidden as well, because readers must follow them like any other cycle.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json'],
    },
  },
}
