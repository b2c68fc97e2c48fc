import { setImmediate as turn } from 'node:timers/promises'
import type { AppError } from '@svc-server/errors'
import { describe, expect, test } from 'vitest'
import type { KeyScope } from '../src/keys/key-types.ts'
import { basic, scope, setup } from './authenticating.ts'

describe('guesses', () => {
  const wrong = (i: number) => basic('pk-svc-1', `wrong-${i}`)
  const refusal = (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'let in',
      (error: AppError) => error.code,
    )

  test('wrong secrets for one public key from one address back off before the store is queried, with 429 and the wait', async () => {
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

  test('fifty concurrent attempts are counted as fifty guesses', async () => {
    const { authenticate, asked } = setup()
    const codes = await Promise.all(Array.from({ length: 50 }, (_, i) => refusal(authenticate(wrong(i), '192.0.2.1'))))
    expect(asked).toHaveLength(5)
    expect(codes.filter(code => code === 'key_backoff')).toHaveLength(45)
  })

  test('does not delay known keys at the same address, or the right secret from a different address', async () => {
    const { authenticate } = setup()
    expect(await authenticate(basic(), '192.0.2.1')).toBe(scope)
    for (let i = 0; i < 10; i++) await refusal(authenticate(wrong(i), '192.0.2.1'))
    expect(await refusal(authenticate(wrong(10), '192.0.2.1'))).toBe('key_backoff')
    expect(await authenticate(basic(), '192.0.2.1')).toBe(scope)
    expect(await authenticate(basic('pk-svc-1', 'sk-svc-1').replace('Basic', 'basic'), '192.0.2.2')).toBe(scope)
    expect(await refusal(authenticate(basic('pk-svc-2', 'wrong'), '192.0.2.1'))).toBe('key_unknown')
  })

  test('a client that repeats one wrong credential gets 401, with one lookup per ten seconds', async () => {
    const { authenticate, asked, clock } = setup()
    for (let i = 0; i < 100; i++) {
      expect(await refusal(authenticate(wrong(0), '192.0.2.1'))).toBe('key_unknown')
      clock.advance(1_000)
    }
    expect(asked).toHaveLength(10)
  })

  test('a client that is exempt from limits per address does not back off', async () => {
    const { authenticate } = setup()
    for (let i = 0; i < 20; i++) expect(await refusal(authenticate(wrong(i)))).toBe('key_unknown')
  })

  test('a new key resets the backoff, and so do ten minutes without guesses', async () => {
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

  test('uses half of the lanes and a short queue, and additional lookups are rejected', async () => {
    const { pending, codes, events } = await flooded()
    expect(pending).toHaveLength(2)
    expect(codes).toEqual(Array(14).fill('overloaded'))
    expect(events.filter(event => event === 'overflow')).toHaveLength(14)
  })

  test('does not delay the first lookup of a different address, and both addresses take turns when the lanes are full', async () => {
    const { authenticate, pending } = await flooded()
    const neighbor = authenticate(basic('pk-neighbor', 'sk'), '192.0.2.2')
    await turn()
    expect(pending.map(({ who }) => who)).toEqual(['guess-0', 'guess-1', 'pk-neighbor'])
    pending[2]!.answer(scope)
    expect(await neighbor).toBe(scope)
    const narrow = await flooded(1)
    const first = narrow.authenticate(basic('pk-neighbor', 'sk'), '192.0.2.2')
    await turn()
    for (const guess of [0, 1]) {
      narrow.pending[guess]!.answer(null)
      await turn()
    }
    expect(narrow.pending.map(({ who }) => who)).toEqual(['guess-0', 'guess-1', 'pk-neighbor'])
    narrow.pending.at(-1)!.answer(scope)
    expect(await first).toBe(scope)
  })

  test('does not delay the refresh of a known key, so that a revocation takes effect in time', async () => {
    const { authenticate, pending, clock } = await flooded()
    clock.advance(30_000)
    const known = authenticate(basic(), '192.0.2.1')
    await turn()
    expect(pending.at(-1)!.who).toBe('pk-svc-1')
    pending.at(-1)!.answer(null)
    await expect(known).rejects.toMatchObject({ code: 'key_unknown' })
  })
})
