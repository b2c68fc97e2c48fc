// The long tests run the suites of `npm test` with all combinations and full sizes. The functions `inNightly`, `isAsked` and `sized` of
// `libs/testkit/src/config.ts` choose the combinations and sizes. The long tests also run the files `*.nightly.test.ts`. Only one file runs
// at a time.
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
