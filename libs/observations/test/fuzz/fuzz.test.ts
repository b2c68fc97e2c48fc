import { sized } from '@svc-server/testkit'
import { test } from 'vitest'
import { fuzzMapping } from './run.ts'

test('maps arbitrary spans for some seconds without an exception or a loss, with equal rows from protobuf and JSON', () =>
  fuzzMapping(sized(8_000, 4_000)))
