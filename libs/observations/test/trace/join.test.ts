import type { TraceCandidates } from '@svc-server/schema/trace-candidates'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillHash, fillOf, joinCandidates, maxTraceTags, noCandidates } from '../../src/trace/index.ts'
import { anyCandidates, joined } from './candidates.ts'

describe('joining candidates is a join', () => {
  test('is commutative', () => {
    fc.assert(fc.property(anyCandidates, anyCandidates, (a, b) => void expect(joinCandidates(a, b)).toEqual(joinCandidates(b, a))))
  })

  test('is associative', () => {
    const isAssociative = (a: TraceCandidates, b: TraceCandidates, c: TraceCandidates) => {
      expect(joinCandidates(joinCandidates(a, b), c)).toEqual(joinCandidates(a, joinCandidates(b, c)))
    }
    fc.assert(fc.property(anyCandidates, anyCandidates, anyCandidates, isAssociative))
  })

  test('is idempotent: known candidates change nothing and create no object', () => {
    const isIdempotent = (a: TraceCandidates, b: TraceCandidates) => {
      const both = joinCandidates(a, b)
      expect(joinCandidates(both, a)).toBe(both)
      expect(joinCandidates(both, b)).toBe(both)
      expect(joinCandidates(b, both)).toEqual(both)
      expect(joinCandidates(a, noCandidates)).toBe(a)
    }
    fc.assert(fc.property(anyCandidates, anyCandidates, isIdempotent))
  })

  test('gives the same result for any order, grouping and repetition', () => {
    const isUnchanged = (all: readonly TraceCandidates[], numbers: Iterator<number>) => {
      const number = () => numbers.next().value as number
      const expected = joined(all)
      const picks = [...all, ...all.filter(() => number() % 2 === 0)]
      const shuffled = picks.map(each => [number(), each] as const).sort(([a], [b]) => a - b)
      const groups: TraceCandidates[][] = [[], [], []]
      for (const [place, each] of shuffled) groups[place % 3]!.push(each)
      expect(joined(groups.map(joined))).toEqual(expected)
    }
    fc.assert(fc.property(fc.array(anyCandidates, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), isUnchanged))
  })

  test('unites the tags, sorted by bytes', () => {
    const isUnion = (a: TraceCandidates, b: TraceCandidates) => {
      const union = [...new Set([...a.tags, ...b.tags])].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      expect(joinCandidates(a, b).tags).toEqual(union)
    }
    fc.assert(fc.property(anyCandidates, anyCandidates, isUnion))
  })
})

test('keeps the first of too many tags for any order of arrival', () => {
  const groups = Array.from({ length: 9 }, (_, group) => ({
    ...noCandidates,
    tags: Array.from({ length: 50 }, (_, i) => `tag-${String((i * 7 + group * 31) % 420).padStart(3, '0')}`).sort(),
  }))
  const all = [...new Set(groups.flatMap(({ tags }) => tags))].sort()
  expect(all.length).toBeGreaterThan(maxTraceTags)
  expect(joined(groups).tags).toEqual(all.slice(0, maxTraceTags))
  expect(joined(groups.toReversed()).tags).toEqual(all.slice(0, maxTraceTags))
})

describe('fill-in', () => {
  const candidate = { root: true, explicit: false, startNs: 1n, spanId: '0000000000000001' }

  test('contains the stated values, but not a row’s own defaults, for which no trace needs a repair', () => {
    const winners = (environment: string, isPublic: string) =>
      [
        { ...candidate, field: 'name', value: 'n' },
        { ...candidate, field: 'userId', value: 'u' },
        { ...candidate, field: 'sessionId', value: 's' },
        { ...candidate, field: 'release', value: 'r' },
        { ...candidate, field: 'version', value: 'v' },
        { ...candidate, field: 'environment', value: environment },
        { ...candidate, field: 'public', value: isPublic },
      ] as const
    const known = { name: 'n', userId: 'u', sessionId: 's', release: 'r', version: 'v' }
    expect(fillOf({ winners: winners('prod', 'true'), tags: ['t'], rootSeen: true })).toEqual({
      ...known,
      environment: 'prod',
      public: true,
      tags: ['t'],
    })
    expect(fillOf({ winners: winners('default', 'false'), tags: [], rootSeen: true })).toEqual(known)
    expect(fillOf(noCandidates)).toEqual({})
  })

  test('has a hash of 16 hex digits that depends only on the values', () => {
    const fill = { name: 'n', tags: ['a', 'b'], public: true }
    expect(fillHash(fill)).toMatch(/^[0-9a-f]{16}$/)
    expect(fillHash({ public: true, tags: ['a', 'b'], name: 'n' })).toBe(fillHash(fill))
    expect(fillHash({ tags: [], public: false })).toBe(fillHash({}))
    const others = [{}, { userId: 'n' }, { sessionId: 'n' }, { name: 'n' }, { tags: ['a,b'] }, { tags: ['a', 'b'] }, { environment: 'n' }]
    expect(new Set(others.map(fillHash)).size).toBe(others.length)
  })

  test('has equal hashes for equal fill-ins and distinct hashes for distinct ones', () => {
    const tellsApart = (a: TraceCandidates, b: TraceCandidates) => {
      const same = JSON.stringify(fillOf(a)) === JSON.stringify(fillOf(b))
      expect(fillHash(fillOf(a)) === fillHash(fillOf(b))).toBe(same)
    }
    fc.assert(fc.property(anyCandidates, anyCandidates, tellsApart))
  })
})
