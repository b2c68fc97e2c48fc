import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tools/longest-first.ts'

// Suites start hundreds of processes and threads; each would strip and compile the sources anew, which is most of what starting one costs.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '.cache/compiled')

/** Suites that assert how long an answer takes, or start ten processes twice over: nothing else may take the processors from them. */
const timedSuites = ['apps/cluster/test/{brokers,main}.test.ts', 'libs/log/test/kafka/{connection-faults,replication}.test.ts']

export const suites = {
  // Forks, never threads: the embedded engine crashes in worker threads of the test runner.
  pool: 'forks' as const,
  globalSetup: [resolve(import.meta.dirname, 'libs/dev-servers/src/kafka/test-run.ts')],
  include: ['{libs,services,apps,bench,tools}/**/*.test.ts'],
  exclude: ['**/node_modules/**', '**/*.nightly.test.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

/** One more than processors: suites wait for engines, sessions and windows half of the time. Each may be a cluster of eight processes. */
const workers = Math.min(4, availableParallelism() + 1)

/** Projects come one after the other, by `order`. */
const project = (name: string, order: number, maxWorkers: number, choice: { include?: string[]; exclude: string[] }) => ({
  test: { ...suites, name, maxWorkers, sequence: { groupOrder: order }, ...choice },
})

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project('together', 0, workers, { exclude: [...suites.exclude, ...timedSuites] }),
      project('alone', 1, 1, { include: timedSuites, exclude: suites.exclude }),
    ],
  },
})
