import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFastHash, displaySecret, equalHashes, saltId, slowHash, verifySlowHash } from '../src/keys/hashes.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('fast hash', () => {
  test('equals the hash of older servers, so that their rows are found', () => {
    expect(createFastHash('salt')('sk-svc-1')).toBe(sha256(`sk-svc-1${sha256('salt')}`))
  })

  test('depends on the salt, whose id does not reveal the salt', () => {
    expect(createFastHash('a')('sk')).not.toBe(createFastHash('b')('sk'))
    expect(saltId('a')).not.toBe(saltId('b'))
    expect(saltId('a')).not.toContain(sha256('a').slice(0, 8))
  })
})

describe('slow hash', () => {
  test('accepts only its secret, and contains its parameters', async () => {
    const encoded = await slowHash('sk-svc-1')
    expect(encoded).toMatch(/^scrypt\$N=16384,r=8,p=1\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/)
    expect(await verifySlowHash('sk-svc-1', encoded)).toBe(true)
    expect(await verifySlowHash('sk-svc-2', encoded)).toBe(false)
    expect(await slowHash('sk-svc-1')).not.toBe(encoded)
  })

  test('reads hashes with other parameters, and rejects other kinds of hashes', async () => {
    expect(await verifySlowHash('x', 'scrypt$N=2,r=1,p=1$c2FsdA==$AAAA')).toBe(false)
    expect(await verifySlowHash('x', '$2b$11$abcdefghijklmnopqrstuv')).toBe(false)
    expect(await verifySlowHash('x', '')).toBe(false)
  })
})

test('compares hashes of different lengths as unequal, without an error', () => {
  expect([equalHashes('ab', 'ab'), equalHashes('ab', 'ac'), equalHashes('ab', 'abc')]).toEqual([true, false, false])
})

test('displays only the first and last characters of a secret', () => {
  expect(displaySecret('sk-svc-0d3c4a8e-1111-4222-8333-944445555666')).toBe('sk-svc...5666')
})
