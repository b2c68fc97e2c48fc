import { test } from 'vitest'
import { fuzzMapping } from './run.ts'

test('maps arbitrary spans for ten minutes without an exception or a loss', () => fuzzMapping(600_000))
