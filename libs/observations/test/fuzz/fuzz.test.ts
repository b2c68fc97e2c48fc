import { test } from 'vitest'
import { fuzzMapping } from './run.ts'

test('eight seconds of spans that no client should send: nothing thrown, nothing lost, protobuf and JSON alike', () => fuzzMapping(8_000))
