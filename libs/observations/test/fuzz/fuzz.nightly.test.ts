import { test } from 'vitest'
import { fuzzMapping } from './run.ts'

test('ten minutes of spans that no client should send', () => fuzzMapping(600_000))
