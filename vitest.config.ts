import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst, type projectOrder } from './tools/suites/longest-first.ts'

// Suites start hundreds of processes and threads. Without the compile cache, each process would strip and compile the sources, which takes
// most of its start-up time.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '.cache/compiled')

/**
 * Pure suites only call functions. They use no engine, no broker and no clock, and start no process or thread. The test runner runs several
 * pure suites in one process, so these suites also share the imported modules.
 */
const pureSuites = [
  'apps/cluster/src/settings.test.ts',
  'apps/standalone/test/migration-variables.test.ts',
  'apps/web/src/**/*.test.ts',
  'libs/{api,entities,errors,json,modes,pricing,secrets}/**/*.test.ts',
  'libs/backfill/test/{chunks,runbook,throttle}.test.ts',
  'libs/column-store/test/native/{buffer-pool,byte-dictionary,decimal}.test.ts',
  'libs/commands/test/size.test.ts',
  'libs/conservation/test/{entity-rows,question}.test.ts',
  // This suite uses an engine.
  'libs/deletions/**/!(clean-up).test.ts',
  'libs/embedded-engine/{src/process/slots,src/sql/*,test/guard}.test.ts',
  'libs/fairness/{src/shares,test/fair,test/places}.test.ts',
  'libs/http/{src/listeners/base-path,test/client-address,test/reachable-host}.test.ts',
  'libs/log/src/kafka/{deadline,group-name,lag-clock}.test.ts',
  'libs/log/test/{partitioner,read-range,embedded/record-batch,kafka/assigner,kafka/failures}.test.ts',
  // The suites that the next two patterns exclude do expensive work, for example on texts of 20 MB, so each of these suites runs in a
  // separate process.
  'libs/observations/**/!(hostile|work).test.ts',
  'libs/otlp/**/!(json-hostile|scan).test.ts',
  'libs/{column-store,query,relational,schema}/src/**/*.test.ts',
  'libs/query/test/metrics-refused.test.ts',
  'libs/relational/test/hashes.test.ts',
  'libs/schema/test/{ddl,fill-span-batch,history,record-codec}.test.ts',
  'libs/sdk-usage/test/metrics.test.ts',
  'libs/service/test/{config,metrics,metrics-page}.test.ts',
  'libs/stream/test/{chunk,completeness,dead-letter,ingest-id,readable}.test.ts',
  'libs/testkit/src/{conservation-ledger,otlp-fixtures,protobuf,span-generator}.test.ts',
  'services/*/test/readme.test.ts',
  'services/{otlp-gateway,public-api}/src/**/*.test.ts',
  'services/events-writer/test/history/plan.test.ts',
  'services/otlp-gateway/test/{config,plan-load}.test.ts',
  'services/staging-propagator/src/{reading,windows}/*.test.ts',
  'tools/checks/{changelog,documents,references,words}.test.ts',
  'tools/operations/{metrics-doc,pages,sizing}.test.ts',
  'tools/suites/*.test.ts',
]

/** Suites that measure their process, end it, or change settings of the whole process. Each runs in a separate process. */
const aloneSuites = [
  'apps/standalone/test/{first-span,published-clients,sdk,threat/files}.test.ts',
  'libs/{fairness,models}/**/*.test.ts',
  'libs/commands/test/command-socket.test.ts',
  'libs/http/src/bodies/*.test.ts',
  'libs/observations/**/{hostile,work}.test.ts',
  'libs/otlp/**/{json-hostile,scan}.test.ts',
  'libs/relational/test/v3-takeover.test.ts',
  'libs/service/test/logger.test.ts',
  // Suites of the SDK register tracer providers and context managers for the whole process.
  'packages/**/*.test.ts',
  'services/events-writer/test/encode.test.ts',
  'services/otlp-gateway/test/limits{,-time}.test.ts',
  'services/public-api/test/{large-traces,numbered-names,otlp,refused-bodies}.test.ts',
  'tools/sdk/{memory,outage,packed}.test.ts',
  'tools/starting/bootstrap.test.ts',
]

export const suites = {
  // Suites run in processes, never in threads, because the embedded engine crashes in worker threads of the test runner.
  pool: 'forks' as const,
  globalSetup: ['in-memory', 'kafka', 'postgres', 'prepared'].map(of =>
    resolve(import.meta.dirname, `libs/dev-servers/src/${of}/test-run.ts`),
  ),
  alias: { 'fast-check': resolve(import.meta.dirname, 'tools/suites/fast-check.ts') },
  include: ['{libs,services,apps,packages,bench,tools}/**/*.test.ts'],
  exclude: ['**/node_modules/**', '**/dist/**', '**/*.nightly.test.ts'],
  // The time limits only stop tests that hang. The limits are generous, because `npm test` can share its machine with ten other programs.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
}

/**
 * There are three more workers than processors, because suites spend half of their time waiting for engines, sessions and windows. There
 * are at most five workers, because a suite can start a cluster of eight processes.
 */
const workers = Math.min(5, availableParallelism() + 3)

/**
 * The projects share the workers. While the last suite of a project runs, the other workers can therefore run suites of the next project.
 * The sequencer `LongestFirst` keeps the suites of a project together, because only consecutive suites share a process.
 */
const project = (name: (typeof projectOrder)[number], choice: { include?: string[]; exclude: string[]; isolate?: boolean }) => ({
  test: { ...suites, name, maxWorkers: workers, ...choice },
})

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // These suites start engines, threads and other processes. A separate test process for each suite would isolate the suites better,
      // but importing a service takes seconds of processor time. The suites therefore share test processes.
      project('sharing', { exclude: [...suites.exclude, ...pureSuites, ...aloneSuites], isolate: false }),
      project('alone', { include: aloneSuites, exclude: [...suites.exclude, ...pureSuites] }),
      project('pure', { include: pureSuites, exclude: suites.exclude, isolate: false }),
    ],
  },
})
