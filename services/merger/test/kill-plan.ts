// Creates the events and the configuration for the tests that kill mergers. Each process gets the same events and the same configuration.
import { groupNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import { createRandom } from '@svc-server/testkit'
import { type Appended, randomEvent, randomSpans } from './events.ts'

export const mergerKillTopics = topicSpecs({
  embedded: true,
  enabledReaders: [groupNames.merger],
  partitions: { other: 2, staging: 2, direct: 2 },
})

export function createMergerPlan(seed: string, records: number): readonly Appended[] {
  const random = createRandom(seed)
  return Array.from({ length: records }, (_, number) =>
    random.next() < 0.7 ? randomEvent(random, number, 12, [null]) : randomSpans(random, number, 12, null),
  )
}
