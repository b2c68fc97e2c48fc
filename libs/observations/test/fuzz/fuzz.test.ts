import { test } from 'vitest'
import { fuzzMapping } from './run.ts'

test('maps arbitrary spans for eight seconds without an exception or a loss, with equal rows from protobuf and JSON', () =>
  fuzzMapping(8_000))
