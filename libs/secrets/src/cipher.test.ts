import { isAppError } from '@svc-server/errors'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCipher, deriveKey, encryptionKeyPattern } from './cipher.ts'

const [first, second] = ['11'.repeat(32), '2a'.repeat(32)] as const

test('decrypts each text that it encrypted, and encrypts the same text differently each time', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const cipher = createCipher({ key: first })
      const encrypted = cipher.encrypt(text)
      expect(encrypted).toMatch(/^[0-9a-f]{24}:[0-9a-f]*:[0-9a-f]{32}$/)
      expect(cipher.decrypt(encrypted)).toBe(text)
      expect(cipher.encrypt(text)).not.toBe(encrypted)
    }),
  ))

test('decrypts a text that another implementation encrypted', () => {
  // Test case 14 of the GCM specification, written in v3's format.
  const cipher = createCipher({ key: '00'.repeat(32) })
  expect(cipher.decrypt('000000000000000000000000:cea7403d4d606b6e074ec5d3baf39d18:d0d1c8a799996bf0265b98b5d48ab919')).toBe('\0'.repeat(16))
})

test('uses previous keys only for decryption, and reports their texts as not current', () => {
  const before = createCipher({ key: first }).encrypt('sk-secret')
  const after = createCipher({ key: second, previous: [first] })
  expect([after.decrypt(before), after.isCurrent(before), after.isCurrent(after.encrypt('a'))]).toEqual(['sk-secret', false, true])
  expect(isAppError(thrownBy(() => createCipher({ key: second }).decrypt(before)))).toBe(true)
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('rejects a text if any part of it was modified', () => {
  const cipher = createCipher({ key: first })
  const encrypted = cipher.encrypt('sk-secret')
  const flipped = (at: number) => `${encrypted.slice(0, at)}${encrypted[at] === '0' ? '1' : '0'}${encrypted.slice(at + 1)}`
  for (const [at, digit] of [...encrypted].entries()) {
    if (digit !== ':') expect(() => cipher.decrypt(flipped(at)), `digit ${at}`).toThrow('can decrypt a stored secret')
  }
  for (const text of ['', ':', '::', 'a:b:c', `${encrypted}:00`, encrypted.slice(0, -2)]) expect(() => cipher.decrypt(text), text).toThrow()
})

test('always derives the same valid key from a secret', () => {
  expect(deriveKey('a salt')).toMatch(encryptionKeyPattern)
  const [first, again, other] = ['a salt', 'a salt', 'another salt'].map(deriveKey)
  expect([first === again, first === other]).toEqual([true, false])
})
