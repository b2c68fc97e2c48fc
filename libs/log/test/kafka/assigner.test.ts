import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AssignMember, coAssign } from '../../src/kafka/assigner.ts'

const topicCounts = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('direct', 'staging', 'filled', 'overflow', 'ledger'), count: fc.integer({ min: 1, max: 9 }) }),
  {
    selector: ({ name }) => name,
    minLength: 1,
  },
)
const groups = fc.tuple(topicCounts, fc.integer({ min: 1, max: 7 }), fc.boolean()).map(([topics, members, rolling]) => ({
  counts: new Map(topics.map(({ name, count }) => [name, count])),
  // If `rolling` is true, every second member lacks the last topic, like a member of the old release during a rolling upgrade.
  members: Array.from(
    { length: members },
    (_, i): AssignMember => ({ id: `m${i}`, topics: topics.slice(0, rolling && i % 2 ? -1 : undefined).map(({ name }) => name) }),
  ),
}))

test('every partition has one owner, which subscribes to its topic', () =>
  fc.assert(
    fc.property(groups, ({ counts, members }) => {
      const owners = new Map<string, string>()
      for (const [id, topics] of coAssign(members, counts)) {
        for (const [topic, partitions] of Object.entries(topics)) {
          expect(members.find(member => member.id === id)!.topics).toContain(topic)
          for (const partition of partitions) {
            expect(owners.has(`${topic}/${partition}`)).toBe(false)
            owners.set(`${topic}/${partition}`, id)
          }
        }
      }
      const known = [...counts].filter(([topic]) => members.some(member => member.topics.includes(topic)))
      expect(owners.size).toBe(known.reduce((sum, [, count]) => sum + count, 0))
    }),
  ))

test('partitions with equal numbers are assigned to one member if their topics have equal counts and readers', () =>
  fc.assert(
    fc.property(groups, ({ counts, members }) => {
      const everybody = [...counts].filter(([topic]) => members.every(member => member.topics.includes(topic)))
      for (const topics of coAssign(members, counts).values()) {
        for (const [a, countA] of everybody) {
          for (const [b, countB] of everybody) if (countA === countB) expect(topics[a] ?? []).toEqual(topics[b] ?? [])
        }
      }
    }),
  ))

test('no member gets more than one set of partitions more than another', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 7 }), (count, size) => {
      const members = Array.from({ length: size }, (_, i) => ({ id: `m${i}`, topics: ['a', 'b'] }))
      const loads = [
        ...coAssign(
          members,
          new Map([
            ['a', count],
            ['b', count],
          ]),
        ).values(),
      ].map(topics => (topics['a'] ?? []).length)
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1)
    }),
  ))
