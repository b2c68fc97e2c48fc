// Data reaches the tables on several paths. This module computes a time T for each path (ADR 0032). All of the path's data that was
// acknowledged before T is readable: all rows of this data are in the tables, and no further row of this data appears.
import type { GroupLag } from '@svc-server/log'
import { readersOf } from '@svc-server/modes/flows'
import { type GroupName, groupNames, type TopicName, topicNames } from '@svc-server/modes/names'

export const completenessPaths = ['direct', 'overflow', 'staged', 'ingestion', 'scores'] as const
export type CompletenessPath = (typeof completenessPaths)[number]

/** A topic and a consumer group that reads this topic. The group commits a record only after it has processed the record. */
export interface Step {
  readonly topic: TopicName
  readonly group: GroupName
}

const { direct, overflow, staging, filled, ingestion, traceParts, entities, scores } = topicNames
const { writer, propagator, merger } = groupNames
const stored = (topic: TopicName): Step => ({ topic, group: writer })
const published: readonly Step[] = [{ topic: staging, group: propagator }, stored(filled)]
const merged: readonly Step[] = [ingestion, traceParts].map(topic => ({ topic, group: merger }))

/**
 * The routes that the records of each path can take. A route is a list of steps. In each step except the last one, the consumer group
 * appends records, and the consumer group of the next step reads these records.
 */
const ways: Readonly<Record<CompletenessPath, readonly (readonly Step[])[]>> = {
  direct: [[stored(direct)]],
  overflow: [[stored(overflow)]],
  staged: [published, [stored(staging)]],
  ingestion: [
    [...merged, stored(entities)],
    [...merged, ...published],
  ],
  scores: [[stored(scores)]],
}

export function waysFrom(topic: TopicName): readonly (readonly Step[])[] {
  const found = completenessPaths.flatMap(path => ways[path].filter(steps => steps[0]!.topic === topic))
  return found.length > 0 ? found : readersOf(topic).map(group => [{ topic, group }])
}

/** Returns the path whose last step stores the rows of this topic, or `other`. */
export function pathOf(topic: string): CompletenessPath | 'other' {
  return completenessPaths.find(path => ways[path].some(steps => steps.at(-1)!.topic === topic)) ?? 'other'
}

export interface Completeness {
  /**
   * Processes a report of the groups' lag. `askedAtMs` is the time just before the query of the log. `answeredAtMs` is the time just after
   * the log's response.
   */
  observe(lags: readonly GroupLag[], askedAtMs: number, answeredAtMs: number): void
  /** Returns the time T before which all data is readable, in milliseconds. Undefined until T is known. T never decreases. */
  until(path: CompletenessPath): number | undefined
}

/** Maximum difference between the brokers' clocks and this process's clock. */
const clockSlackMs = 1_000
/** When there are more entries than this, every second entry is removed. A missing entry can only make the reported time T earlier. */
const maxRemembered = 2_000
const kept = 20

interface Known {
  readonly atMs: number
  readonly untilMs: number
}

/**
 * Remembers earlier results of a step. A result says that, at the time `atMs`, all records that began the route before `untilMs` had passed
 * the step. If the next step of the route lags behind, it has processed only what this step had appended by an earlier time. The
 * next step's result is then computed from the result that this step had at that earlier time.
 */
function createMemory() {
  let known: Known[] = []
  return {
    add(one: Known): void {
      known.push(one)
      if (known.length > maxRemembered) known = known.filter((_, index) => index % 2 === 1)
    },
    asOf(timeMs: number): number | undefined {
      const index = known.findLastIndex(({ atMs }) => atMs < timeMs)
      const found = known[index]?.untilMs
      // Older entries can be removed, because later calls ask for later times.
      if (index > kept) known.splice(0, index - kept)
      return found
    },
  }
}

const keyOf = ({ topic, group }: Pick<GroupLag, 'topic' | 'group'>): string => `${group} ${topic}`

/**
 * Returns the time before which the group has processed every record of the topic. If records wait, the result is the append time of the
 * oldest waiting record, minus a margin for differences between clocks. If no record waits, the result is `askedAtMs`. Returns undefined
 * if the log does not know the age of a partition's records.
 */
function stepUntil(partitions: readonly GroupLag[] | undefined, askedAtMs: number): number | undefined {
  if (partitions === undefined || partitions.length === 0) return undefined
  let untilMs = askedAtMs
  for (const { lagRecords, lagMs } of partitions) {
    if (lagRecords === 0) continue
    if (lagMs <= 0) return undefined
    untilMs = Math.min(untilMs, askedAtMs - lagMs - clockSlackMs)
  }
  return untilMs
}

export function createCompleteness(): Completeness {
  const chains = completenessPaths.map(path => ({
    path,
    ways: ways[path].map(steps => steps.map(step => ({ key: keyOf(step), memory: createMemory() }))),
  }))
  const found = new Map<CompletenessPath, number>()

  return {
    observe(lags, askedAtMs, answeredAtMs) {
      const byStep = Map.groupBy(lags, keyOf)
      const wayUntil = (way: (typeof chains)[number]['ways'][number]): number | undefined => {
        // All records that began the route before `untilMs` have passed every step up to and including the current step of the loop.
        let untilMs: number | undefined = Number.POSITIVE_INFINITY
        for (const [index, { key, memory }] of way.entries()) {
          const own = stepUntil(byStep.get(key), askedAtMs)
          const before = way[index - 1]
          if (own === undefined) return undefined
          untilMs = before === undefined ? own : before.memory.asOf(own)
          if (untilMs === undefined) return undefined
          memory.add({ atMs: answeredAtMs, untilMs })
        }
        return untilMs
      }
      for (const { path, ways: all } of chains) {
        const untils = all.map(wayUntil)
        const least = untils.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.min(a, b)))
        if (least !== undefined) found.set(path, Math.max(least, found.get(path) ?? least))
      }
    },
    until: path => found.get(path),
  }
}
