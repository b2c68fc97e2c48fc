import { expect, test } from 'vitest'
import { literal } from './literal.ts'

test.each([
  ['plain', "'plain'"],
  [7, "'7'"],
  ["it's", "'it\\'s'"],
  ['back\\slash', "'back\\\\slash'"],
  ["\\'", "'\\\\\\''"],
  ['a\0b', "'a\\0b'"],
])('%j → %s', (value, sql) => expect(literal(value)).toBe(sql))
