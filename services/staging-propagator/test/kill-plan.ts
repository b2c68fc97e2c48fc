// All processes that the tests kill have the same plan of records and the same configuration. The order of the plan spreads each trace over
// several windows.
import { groupNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import { createRandom } from '@svc-server/testkit'
import type { PropagatorConfig } from '../src/settings.ts'
import { randomTrace } from './model.ts'
import type { StagedRecord } from './staged.ts'
import { testConfig } from './world.ts'

export const killTopics = topicSpecs({
  embedded: true,
  enabledReaders: [groupNames.writer, groupNames.propagator],
})

/** The times and sizes are small, so that every kill interrupts the work on a range. */
export const killConfig: PropagatorConfig = { ...testConfig, windowMs: 300, graceMs: 20, publishBytes: 4_000, readBytes: 20_000 }

/**
 * Maximum difference between the places of two records of one trace. The lowest possible place of a record is 0 in the first trace, and
 * increases by two with each trace.
 */
const spread = 500

export function createPlan(seed: string, traces = 400): readonly StagedRecord[] {
  const random = createRandom(seed)
  const placed = Array.from({ length: traces }, (_, number) =>
    randomTrace(random, { number, maxSpans: 6 }).map(record => ({ record, place: number * 2 + random.integer(0, spread) })),
  ).flat()
  return placed.sort((a, b) => a.place - b.place).map(({ record }) => record)
}
