// The long tests run everything that `npm test` runs, with the same code, but with larger numbers (inNightly, isAsked, sized:
// libs/testkit/src/config.ts). The long tests also run the *.nightly.test.ts files. Only one file runs at a time.
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
