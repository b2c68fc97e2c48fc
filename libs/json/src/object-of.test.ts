import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectOf, parseJson } from './index.ts'

const name = fc.oneof(
  fc.nat(5000).map(String),
  fc.nat({ max: 2 ** 32 - 1 }).map(String),
  fc.constantFrom('__proto__', '4294967294', '4294967295', '4294967296', '01', '-1', '1.5', '', 'a', '\\'),
)

test('creates the same object as JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.nat()), { maxLength: 12 }), members => {
      const object = objectOf(members)
      const parsed = JSON.parse(`{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`) as object
      expect(Object.entries(object)).toEqual(Object.entries(parsed))
      expect(Object.getOwnPropertyDescriptors(object)).toEqual(Object.getOwnPropertyDescriptors(parsed))
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
    }),
    { numRuns: 2000 },
  )
})

test('a name that is a whole number does not allocate slots for all lower numbers', () => {
  const bytesFor = <T>(make: () => T): number => {
    const before = process.memoryUsage().heapUsed
    const kept = make()
    const bytes = process.memoryUsage().heapUsed - before
    expect(kept).toBeDefined()
    return bytes
  }
  const many = 5000
  const sparse = ['1023', '2574', 'a'].map(key => [key, 1] as const)
  // If the parser added the members one by one, the objects would take 155 MB.
  expect(bytesFor(() => Array.from({ length: many }, () => objectOf(sparse)))).toBeLessThan(30e6)
  const text = `[${Array.from({ length: many }, () => '{"\\\\":1,"1023":1,"2574":1}').join(',')}]`
  expect(bytesFor(() => parseJson(text))).toBeLessThan(60e6)
})
