import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Forks, never threads: the embedded engine crashes in worker threads of the test runner.
    pool: 'forks',
    include: ['{libs,services,bench,tools}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.nightly.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
