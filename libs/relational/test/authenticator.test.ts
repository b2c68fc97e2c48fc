import type { AppError } from '@svc-server/errors'
import { describe, expect, test } from 'vitest'
import type { KeyScope } from '../src/keys/key-types.ts'
import { basic, down, scope, setup } from './authenticating.ts'

describe('the header', () => {
  test.each([
    ['none', undefined, 'key_missing', 401],
    ['an empty one', '  ', 'key_missing', 401],
    ['another scheme', 'Digest username="x"', 'key_missing', 401],
    ['no token', 'Basic', 'key_unknown', 401],
    ['no base64', 'Basic ****', 'key_unknown', 401],
    ['two tokens', `${basic()} x`, 'key_unknown', 401],
    ['no colon', `Basic ${Buffer.from('pk-svc-1').toString('base64')}`, 'key_unknown', 401],
    ['no public key', basic(''), 'key_unknown', 401],
    ['no secret key', basic('pk-svc-1', ''), 'key_unknown', 401],
    ['a public key alone', 'Bearer pk-svc-1', 'key_scope', 403],
  ] as const)('%s: %s', async (_, header, code, status) => {
    const { authenticate, asked } = setup()
    const refusal = await authenticate(header).catch((error: AppError) => error)
    expect(refusal).toMatchObject({ code, definition: { http: status } })
    expect(asked).toEqual([])
  })

  test.each(['basic', 'BASIC'])('accepts the scheme as %s', async scheme => {
    const { authenticate } = setup()
    expect(await authenticate(basic().replace('Basic', scheme))).toBe(scope)
  })

  test('a secret may contain a colon', async () => {
    const { authenticate, asked } = setup()
    await expect(authenticate(basic('pk-svc-1', 'a:b'))).rejects.toMatchObject({ code: 'key_unknown' })
    expect(asked).toEqual(['pk-svc-1:a:b'])
  })

  test('the responses to unknown and malformed keys are equal, so that they reveal nothing', async () => {
    const { authenticate } = setup()
    const message = (header: string) => authenticate(header).catch((error: Error) => error.message)
    expect(await message(basic('pk-svc-1', 'wrong'))).toBe(await message('Basic ****'))
  })
})

test.each(['a/b', '/', 'p/'])(
  'rejects a key of project %j, which a different program created, with the reason and one query',
  async projectId => {
    const { authenticate, answerWith, asked } = setup({ verifyPublicKey: async () => ({ ...scope, accessLevel: 'scores', projectId }) })
    answerWith(async () => ({ ...scope, projectId }))
    const refused = { code: 'key_scope', message: expect.stringContaining('The project id contains a slash'), definition: { http: 403 } }
    for (let time = 0; time < 3; time++) await expect(authenticate(basic())).rejects.toMatchObject(refused)
    expect(asked).toHaveLength(1)
    await expect(authenticate('Bearer pk-svc-1')).rejects.toMatchObject(refused)
    answerWith(async () => ({ ...scope, accessLevel: 'organization', projectId: null }))
    expect(await authenticate(basic('pk-svc-2'))).toMatchObject({ accessLevel: 'organization' })
  },
)

describe('the cache', () => {
  test('queries once per credential and TTL, which starts with the query', async () => {
    const { authenticate, asked, events, clock } = setup()
    await authenticate(basic())
    clock.advance(14_999)
    expect(await authenticate(basic())).toBe(scope)
    expect(asked).toHaveLength(1)
    clock.advance(15_001)
    await authenticate(basic())
    expect(asked).toHaveLength(2)
    expect(events).toEqual(['miss', 'hit', 'miss'])
  })

  test('refreshes a scope in use before it ends, and no request waits for the refresh', async () => {
    const { authenticate, asked, events, answerWith, clock } = setup()
    await authenticate(basic())
    clock.advance(15_000)
    const answered = Promise.withResolvers<KeyScope>()
    answerWith(() => answered.promise)
    expect(await authenticate(basic())).toBe(scope)
    expect(await authenticate(basic())).toBe(scope)
    expect(asked).toHaveLength(2)
    clock.advance(1_000)
    answered.resolve(scope)
    await answered.promise
    // The TTL starts when the authenticator queries the store, not when the store responds.
    clock.advance(13_999)
    await authenticate(basic())
    expect(events).toEqual(['miss', 'hit', 'miss', 'hit', 'hit'])
  })

  test('concurrent requests share one query, even if the credential is wrong', async () => {
    const { authenticate, asked } = setup()
    await Promise.all(Array.from({ length: 100 }, () => authenticate(basic())))
    const refusals = await Promise.allSettled(Array.from({ length: 100 }, () => authenticate(basic('pk', 'wrong'))))
    expect(refusals.every(({ status }) => status === 'rejected')).toBe(true)
    expect(asked).toHaveLength(2)
  })

  test('caches a rejection for a short time', async () => {
    const { authenticate, asked, events, clock } = setup()
    const attempt = () => expect(authenticate(basic('pk', 'wrong'))).rejects.toMatchObject({ code: 'key_unknown' })
    await attempt()
    clock.advance(9_999)
    await attempt()
    expect(asked).toHaveLength(1)
    clock.advance(1)
    await attempt()
    expect(asked).toHaveLength(2)
    expect(events).toEqual(['miss', 'negative_hit', 'miss'])
  })

  test('evicts the least recently used scope at its limit, and guesses evict no scope', async () => {
    const { authenticate, asked, answerWith } = setup({ maxEntries: 2 })
    answerWith(async publicKey => (publicKey.startsWith('pk') ? scope : null))
    await authenticate(basic('pk-a'))
    await authenticate(basic('pk-b'))
    await authenticate(basic('pk-a'))
    await authenticate(basic('pk-c'))
    for (let guess = 0; guess < 10; guess += 1) await authenticate(basic(`guess-${guess}`)).catch(() => {})
    asked.length = 0
    await authenticate(basic('pk-a'))
    await authenticate(basic('pk-c'))
    expect(asked).toEqual([])
    await authenticate(basic('pk-b'))
    expect(asked).toHaveLength(1)
  })

  test('accepts a public key that belongs to a different secret, and reports the mismatch', async () => {
    const { authenticate, events } = setup()
    expect(await authenticate(basic('pk-svc-2'))).toBe(scope)
    expect(events).toEqual(['miss', 'mismatch'])
  })
})

describe('changes of keys', () => {
  test('rejects a revoked key immediately', async () => {
    const { authenticate, answerWith, change } = setup()
    await authenticate(basic())
    answerWith(async () => null)
    change({ kind: 'revoked', apiKeyId: 'other' })
    expect(await authenticate(basic())).toBe(scope)
    change({ kind: 'revoked', apiKeyId: 'k' })
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'key_unknown' })
  })

  test('immediately accepts a key that is created after its rejection', async () => {
    const { authenticate, answerWith, change } = setup()
    await authenticate(basic('pk', 'new')).catch(() => {})
    answerWith(async () => scope)
    change({ kind: 'created', apiKeyId: 'k' })
    expect(await authenticate(basic('pk', 'new'))).toBe(scope)
  })

  test('does not cache a result that was read before a revocation', async () => {
    const { authenticate, answerWith, change } = setup()
    const read = Promise.withResolvers<KeyScope>()
    answerWith(() => read.promise)
    const first = authenticate(basic())
    change({ kind: 'revoked', apiKeyId: 'k' })
    read.resolve(scope)
    await first
    answerWith(async () => null)
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'key_unknown' })
  })

  test('never uses an expired key, neither from the cache nor during an outage', async () => {
    const { authenticate, answerWith, clock } = setup()
    answerWith(async () => ({ ...scope, expiresAtMs: clock.now() + 1_000 }))
    await authenticate(basic())
    clock.advance(1_000)
    answerWith(() => Promise.reject(down()))
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'relational_unavailable' })
  })
})

describe('a relational store that is down', () => {
  test('does not stop known clients for a limited time, and is queried only occasionally', async () => {
    const { authenticate, answerWith, asked, events, clock } = setup()
    await authenticate(basic())
    answerWith(() => Promise.reject(down()))
    clock.advance(30_000)
    expect(await authenticate(basic())).toBe(scope)
    expect(await authenticate(basic())).toBe(scope)
    expect(asked).toHaveLength(2)
    clock.advance(5_000)
    expect(await authenticate(basic())).toBe(scope)
    expect(asked).toHaveLength(3)
    expect(events).toEqual(['miss', 'miss', 'stale', 'stale', 'miss', 'stale'])
    clock.advance(864_999)
    expect(await authenticate(basic())).toBe(scope)
    clock.advance(1)
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'relational_unavailable' })
  })

  test('a new client gets 503, which is not cached', async () => {
    const { authenticate, answerWith } = setup()
    answerWith(() => Promise.reject(down()))
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'relational_unavailable', definition: { http: 503 } })
    answerWith(async () => scope)
    expect(await authenticate(basic())).toBe(scope)
  })

  test('after the outage, the results of the store are used again', async () => {
    const { authenticate, answerWith, clock } = setup()
    await authenticate(basic())
    answerWith(() => Promise.reject(down()))
    clock.advance(30_000)
    await authenticate(basic())
    answerWith(async () => null)
    clock.advance(5_000)
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'key_unknown' })
    answerWith(() => Promise.reject(down()))
    clock.advance(10_000)
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'relational_unavailable' })
  })

  test('the cache does not hide a defect of the key store', async () => {
    const { authenticate, answerWith, clock } = setup()
    await authenticate(basic())
    clock.advance(30_000)
    answerWith(() => Promise.reject(new TypeError('x is undefined')))
    await expect(authenticate(basic())).rejects.toBeInstanceOf(TypeError)
  })
})
