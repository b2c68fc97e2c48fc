// The fast path must accept a list only if the full check accepts it.
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNestingCheck, isShortTextList, resourceShape } from '../src/nesting.ts'

const message = (tag: number, content: Uint8Array) => Buffer.from([tag, content.length, ...content])
const attributeOf = (key: string, texts: readonly string[]) => {
  const elements = texts.map(text => message(0x0a, message(0x0a, Buffer.from(text))))
  return Buffer.concat([message(0x0a, Buffer.from(key)), message(0x12, message(0x2a, Buffer.concat(elements)))])
}
const attribute = fc
  .tuple(fc.string({ maxLength: 20 }), fc.array(fc.string({ maxLength: 12 }), { maxLength: 5 }))
  .map(([key, texts]) => attributeOf(key, texts))
  .filter(bytes => bytes.length < 0x80)

// The test puts the list into a resource, because the attributes of a resource always get the full check.
const { check } = createNestingCheck()
const isSound = (bytes: Uint8Array) => {
  const resource = message(0x0a, bytes)
  return check(resource, 0, resource.length, resourceShape)
}

test('recognizes lists of texts', () => {
  fc.assert(
    fc.property(attribute, bytes => {
      expect(isShortTextList(bytes, 0, bytes.length)).toBe(true)
      expect(isSound(bytes)).toBe(true)
    }),
  )
})

test('recognizes a changed or truncated list only if it is well-formed', () => {
  const change = fc.tuple(fc.nat(127), fc.oneof(fc.nat(255), fc.constantFrom(0, 2, 0x0a, 0x12, 0x2a, 0x80)))
  fc.assert(
    fc.property(attribute, fc.array(change, { maxLength: 2 }), fc.nat(3), (bytes, changes, cut) => {
      const changed = Buffer.from(bytes)
      for (const [at, byte] of changes) if (at < changed.length) changed[at] = byte
      const stop = Math.max(changed.length - cut, 0)
      if (isShortTextList(changed, 0, stop)) expect(isSound(changed.subarray(0, stop))).toBe(true)
    }),
    { numRuns: sized(20_000, 4000) },
  )
})
