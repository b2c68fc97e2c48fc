import { defineConfig } from 'vitest/config'

/** Suites that kill, freeze or cut off whole processes and brokers and wait for what follows: alone, so that one does not starve another. */
export const processSuites = [
  'apps/cluster/**/*.test.ts',
  'apps/standalone/test/{kafka,kill,lifecycle,staged}.test.ts',
  'services/staging-propagator/test/kill*.test.ts',
  'libs/log/test/kafka/{connection-faults,groups,replication}.test.ts',
]

export const suites = {
  // Forks, never threads: the embedded engine crashes in worker threads of the test runner.
  pool: 'forks' as const,
  include: ['{libs,services,apps,bench,tools}/**/*.test.ts'],
  exclude: ['**/node_modules/**', '**/*.nightly.test.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    projects: [
      {
        test: { ...suites, name: 'together', exclude: [...suites.exclude, ...processSuites], maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      { test: { ...suites, name: 'alone', include: processSuites, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
