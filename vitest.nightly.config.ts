// The long tests use the same code with larger numbers. The long tests run everything that `npm test` runs, at full size (inNightly,
// isAsked, sized: libs/testkit/src/config.ts), and the *.nightly.test.ts files, one after the other.
import { defineConfig } from 'vitest/config'
import { suites } from './vitest.config.ts'

export default defineConfig({
  test: {
    ...suites,
    testTimeout: 1_800_000,
    exclude: ['**/node_modules/**'],
    maxWorkers: 1,
    env: { SVC_TEST_ALONE: '1', SVC_TEST_WHOLE: '1' },
  },
})
