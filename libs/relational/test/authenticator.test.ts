import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'
import { manualClock } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { type AuthenticationEvent, type AuthenticatorOptions, createAuthenticator, type KeyChange, type KeyScope } from '../src/index.ts'

const scope: KeyScope = { accessLevel: 'project', orgId: 'o', projectId: 'p', apiKeyId: 'k', publicKey: 'pk-svc-1' }
const basic = (publicKey = 'pk-svc-1', secretKey = 'sk-svc-1') => `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
const down = () => new AppError('relational_unavailable', 'The relational store did not answer.')

const setup = (options: AuthenticatorOptions = {}) => {
  const clock = manualClock()
  const events: AuthenticationEvent[] = []
  const asked: string[] = []
  const listeners: ((change: KeyChange) => void)[] = []
  let answer = async (_publicKey: string, secretKey: string): Promise<KeyScope | null> => (secretKey === 'sk-svc-1' ? scope : null)
  const authenticate = createAuthenticator(
    {
      verify(publicKey, secretKey) {
        asked.push(`${publicKey}:${secretKey}`)
        return answer(publicKey, secretKey)
      },
      onChange(listener) {
        listeners.push(listener)
        return () => {}
      },
    },
    { clock: clock.now, onEvent: event => events.push(event), ...options },
  )
  return {
    clock,
    events,
    asked,
    authenticate,
    answerWith: (next: typeof answer) => (answer = next),
    change: (change: KeyChange) => listeners.forEach(listener => void listener(change)),
  }
}

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

  test.each(['basic', 'BASIC'])('the scheme may be written %s', async scheme => {
    const { authenticate } = setup()
    expect(await authenticate(basic().replace('Basic', scheme))).toBe(scope)
  })

  test('a secret may hold a colon', async () => {
    const { authenticate, asked } = setup()
    await expect(authenticate(basic('pk-svc-1', 'a:b'))).rejects.toMatchObject({ code: 'key_unknown' })
    expect(asked).toEqual(['pk-svc-1:a:b'])
  })

  test('the answer to an unknown key is the same as to a malformed one: it tells nothing about what exists', async () => {
    const { authenticate } = setup()
    const message = (header: string) => authenticate(header).catch((error: Error) => error.message)
    expect(await message(basic('pk-svc-1', 'wrong'))).toBe(await message('Basic ****'))
  })
})

describe('the cache', () => {
  test('asks once per credential and TTL, counted from the load', async () => {
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

  test('a scope in use is refreshed ahead of its end, and nobody waits for that', async () => {
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
    // Fresh from when the store was asked, not from when it answered.
    clock.advance(13_999)
    await authenticate(basic())
    expect(events).toEqual(['miss', 'hit', 'miss', 'hit', 'hit'])
  })

  test('many requests at once ask once, also when the answer is no', async () => {
    const { authenticate, asked } = setup()
    await Promise.all(Array.from({ length: 100 }, () => authenticate(basic())))
    const refusals = await Promise.allSettled(Array.from({ length: 100 }, () => authenticate(basic('pk', 'wrong'))))
    expect(refusals.every(({ status }) => status === 'rejected')).toBe(true)
    expect(asked).toHaveLength(2)
  })

  test('a refusal is remembered for a short time', async () => {
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

  test('is bounded: the least recently used scope goes first, and guesses do not push scopes out', async () => {
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

  test('a public key that is not the one of the secret is let in and told', async () => {
    const { authenticate, events } = setup()
    expect(await authenticate(basic('pk-svc-2'))).toBe(scope)
    expect(events).toEqual(['miss', 'mismatch'])
  })
})

describe('guesses', () => {
  const wrong = (i: number) => basic('pk-svc-1', `wrong-${i}`)
  const refusal = (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'let in',
      (error: AppError) => error.code,
    )

  test('wrong secrets for one public key from one address back off, before the store is asked; 429 says for how long', async () => {
    const { authenticate, asked, events, clock } = setup()
    const guess = async (i: number) => authenticate(wrong(i), '192.0.2.1').catch((error: AppError) => error)
    for (let i = 0; i < 5; i++) expect(await guess(i)).toMatchObject({ code: 'key_unknown' })
    expect(await guess(5)).toMatchObject({ code: 'key_backoff', definition: { http: 429 }, params: { retryAfterMs: 1_000 } })
    expect(asked).toHaveLength(5)
    const waits: number[] = []
    for (let i = 6; i < 16; i++) {
      const refused = (await guess(i)) as AppError
      expect(refused.code).toBe('key_backoff')
      waits.push(Number(refused.params['retryAfterMs']))
      clock.advance(waits.at(-1)!)
      expect(await guess(100 + i)).toMatchObject({ code: 'key_unknown' })
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map(seconds => seconds * 1_000))
    expect(asked).toHaveLength(15)
    expect(events.filter(event => event === 'backoff')).toHaveLength(11)
  })

  test('fifty at once are fifty guesses', async () => {
    const { authenticate, asked } = setup()
    const codes = await Promise.all(Array.from({ length: 50 }, (_, i) => refusal(authenticate(wrong(i), '192.0.2.1'))))
    expect(asked).toHaveLength(5)
    expect(codes.filter(code => code === 'key_backoff')).toHaveLength(45)
  })

  test('nobody else is hindered: the right secret from the same address is known, from another one first seen', async () => {
    const { authenticate } = setup()
    expect(await authenticate(basic(), '192.0.2.1')).toBe(scope)
    for (let i = 0; i < 10; i++) await refusal(authenticate(wrong(i), '192.0.2.1'))
    expect(await refusal(authenticate(wrong(10), '192.0.2.1'))).toBe('key_backoff')
    expect(await authenticate(basic(), '192.0.2.1')).toBe(scope)
    expect(await authenticate(basic('pk-svc-1', 'sk-svc-1').replace('Basic', 'basic'), '192.0.2.2')).toBe(scope)
    expect(await refusal(authenticate(basic('pk-svc-2', 'wrong'), '192.0.2.1'))).toBe('key_unknown')
  })

  test('who sends the same wrong credential again and again guesses nothing: 401, and a look-up in ten seconds', async () => {
    const { authenticate, asked, clock } = setup()
    for (let i = 0; i < 100; i++) {
      expect(await refusal(authenticate(wrong(0), '192.0.2.1'))).toBe('key_unknown')
      clock.advance(1_000)
    }
    expect(asked).toHaveLength(10)
  })

  test('who is exempt from limits per address does not back off', async () => {
    const { authenticate } = setup()
    for (let i = 0; i < 20; i++) expect(await refusal(authenticate(wrong(i)))).toBe('key_unknown')
  })

  test('a key that was made is tried at once, and after ten quiet minutes all is forgotten', async () => {
    const { authenticate, change, clock } = setup()
    for (let i = 0; i < 6; i++) await refusal(authenticate(wrong(i), '192.0.2.1'))
    change({ kind: 'created', apiKeyId: 'k' })
    for (let i = 6; i < 11; i++) expect(await refusal(authenticate(wrong(i), '192.0.2.1'))).toBe('key_unknown')
    clock.advance(600_000)
    for (let i = 11; i < 16; i++) expect(await refusal(authenticate(wrong(i), '192.0.2.1'))).toBe('key_unknown')
  })
})

describe('a flood of unknown credentials', () => {
  const flooded = async (lanes = 4) => {
    const rig = setup({ lanes, maxWaitingPerAddress: 64, maxWaiting: 100 })
    await rig.authenticate(basic())
    const pending: { readonly who: string; readonly answer: (scope: KeyScope | null) => void }[] = []
    rig.answerWith(publicKey => new Promise(answer => pending.push({ who: publicKey, answer })))
    const codes: string[] = []
    const flood = (i: number) =>
      rig.authenticate(basic(`guess-${i}`, 'wrong'), '192.0.2.1').catch((error: AppError) => codes.push(error.code))
    const all = Array.from({ length: 80 }, (_, i) => flood(i))
    await turn()
    return { ...rig, pending, codes, all }
  }

  test('has half of the lanes and waits in a short line; what does not fit is refused', async () => {
    const { pending, codes, events } = await flooded()
    expect(pending).toHaveLength(2)
    expect(codes).toEqual(Array(14).fill('overloaded'))
    expect(events.filter(event => event === 'overflow')).toHaveLength(14)
  })

  test('is not before a neighbour’s first look-up, and takes turns with it when the lanes are full', async () => {
    const { authenticate, pending } = await flooded()
    const neighbour = authenticate(basic('pk-neighbour', 'sk'), '192.0.2.2')
    await turn()
    expect(pending.map(({ who }) => who)).toEqual(['guess-0', 'guess-1', 'pk-neighbour'])
    pending[2]!.answer(scope)
    expect(await neighbour).toBe(scope)
    const narrow = await flooded(1)
    const first = narrow.authenticate(basic('pk-neighbour', 'sk'), '192.0.2.2')
    await turn()
    for (const guess of [0, 1]) {
      narrow.pending[guess]!.answer(null)
      await turn()
    }
    expect(narrow.pending.map(({ who }) => who)).toEqual(['guess-0', 'guess-1', 'pk-neighbour'])
    narrow.pending.at(-1)!.answer(scope)
    expect(await first).toBe(scope)
  })

  test('does not delay the refresh of who is known, so a revocation is seen in time', async () => {
    const { authenticate, pending, clock } = await flooded()
    clock.advance(30_000)
    const known = authenticate(basic(), '192.0.2.1')
    await turn()
    expect(pending.at(-1)!.who).toBe('pk-svc-1')
    pending.at(-1)!.answer(null)
    await expect(known).rejects.toMatchObject({ code: 'key_unknown' })
  })
})

describe('changes of keys', () => {
  test('a revoked key is out at once', async () => {
    const { authenticate, answerWith, change } = setup()
    await authenticate(basic())
    answerWith(async () => null)
    change({ kind: 'revoked', apiKeyId: 'other' })
    expect(await authenticate(basic())).toBe(scope)
    change({ kind: 'revoked', apiKeyId: 'k' })
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'key_unknown' })
  })

  test('a key that was made after it was refused works at once', async () => {
    const { authenticate, answerWith, change } = setup()
    await authenticate(basic('pk', 'new')).catch(() => {})
    answerWith(async () => scope)
    change({ kind: 'created', apiKeyId: 'k' })
    expect(await authenticate(basic('pk', 'new'))).toBe(scope)
  })

  test('an answer that was read before a revocation is not kept', async () => {
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

  test('a key that expires is not used longer, neither cached nor stale', async () => {
    const { authenticate, answerWith, clock } = setup()
    answerWith(async () => ({ ...scope, expiresAtMs: clock.now() + 1_000 }))
    await authenticate(basic())
    clock.advance(1_000)
    answerWith(() => Promise.reject(down()))
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'relational_unavailable' })
  })
})

describe('a relational store that is down', () => {
  test('does not stop who was let in before, for a bounded time, and is asked only now and then', async () => {
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

  test('answers 503 to who is new, and its refusal is not remembered', async () => {
    const { authenticate, answerWith } = setup()
    answerWith(() => Promise.reject(down()))
    await expect(authenticate(basic())).rejects.toMatchObject({ code: 'relational_unavailable', definition: { http: 503 } })
    answerWith(async () => scope)
    expect(await authenticate(basic())).toBe(scope)
  })

  test('when it is back, what it says counts', async () => {
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

  test('a defect is not hidden by the cache', async () => {
    const { authenticate, answerWith, clock } = setup()
    await authenticate(basic())
    clock.advance(30_000)
    answerWith(() => Promise.reject(new TypeError('x is undefined')))
    await expect(authenticate(basic())).rejects.toBeInstanceOf(TypeError)
  })
})
