import { expect, test } from 'vitest'
import { engineFailure, httpStatusOf } from './engine-error.ts'

test('strips the outer layers of an exception and keeps the innermost code and name', () => {
  const text =
    "Code: 115. DB::Exception: Code: 115. DB::Exception: Unknown setting 'foo'. (UNKNOWN_SETTING) (version 26.7.2.1). (UNKNOWN_SETTING)"
  expect(engineFailure(new Error(text))).toEqual({ code: 115, type: 'UNKNOWN_SETTING', message: "Unknown setting 'foo'" })
  expect(httpStatusOf(115)).toBe(404)
})

test('removes the path of the spool from messages', () => {
  const text =
    'Code: 27. DB::Exception: Cannot parse input: (in file/uri /data/spool/1b2c): (at row 1). (CANNOT_PARSE_INPUT_ASSERTION_FAILED)'
  expect(engineFailure(new Error(text)).message).toBe('Cannot parse input: (in the body): (at row 1)')
})

test('parses a message in linear time, whatever part of a statement it contains', () => {
  for (const piece of [' ', '.', '(in file/uri ', '(ABC', '(ABC) (version ', '(ABC) ']) {
    const startedMs = performance.now()
    engineFailure(new Error(`Code: 62. DB::Exception: ${piece.repeat(400_000 / piece.length)}x`))
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  }
})

test('F36 · a full disk is code 243, not a defect', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(engineFailure(full)).toMatchObject({ code: 243, type: 'NOT_ENOUGH_SPACE' })
})

test('a thrown value of any other kind is LOGICAL_ERROR with status 500', () => {
  expect(engineFailure(new TypeError('x'))).toEqual({ code: 49, type: 'LOGICAL_ERROR', message: 'x' })
  expect(httpStatusOf(49)).toBe(500)
})
