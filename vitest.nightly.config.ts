// The long tests: same code, larger numbers. Everything that `npm test` runs, and the *.nightly.test.ts files.
import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

export default defineConfig(() => {
  const merged = mergeConfig(base, { test: { testTimeout: 1_800_000 } })
  return { ...merged, test: { ...merged.test, exclude: ['**/node_modules/**'] } }
})
