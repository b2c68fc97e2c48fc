// Computes a time T for each path into the tables: all data that was acknowledged before T is readable. Lag would only be the number of
// waiting records, while T is a guarantee for readers: no row of a request that was acknowledged before T will appear later (ADR 0032).
import type { GroupLag } from '@svc-server/log'
import { readersOf } from '@svc-server/modes/flows'
import { type GroupName, groupNames, type TopicName, topicNames } from '@svc-server/modes/names'

export const completenessPaths = ['direct', 'overflow', 'staged', 'ingestion', 'scores'] as const
export type CompletenessPath = (typeof completenessPaths)[number]

/** A topic, and the consumer group that reads it. When the group has committed a record, the group has finished its work on that record. */
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
 * For each path, the routes that its records take. A route is a list of steps. The group of each step appends the records of the next step.
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

/** Returns all routes that begin at a topic. At the end of a route, the records are readable, and commands have been carried out. */
export function waysFrom(topic: TopicName): readonly (readonly Step[])[] {
  const found = completenessPaths.flatMap(path => ways[path].filter(steps => steps[0]!.topic === topic))
  return found.length > 0 ? found : readersOf(topic).map(group => [{ topic, group }])
}

/** Returns the path whose last step stores the rows of this topic, or `other` if there is no such path. */
export function pathOf(topic: string): CompletenessPath | 'other' {
  return completenessPaths.find(path => ways[path].some(steps => steps.at(-1)!.topic === topic)) ?? 'other'
}

export interface Completeness {
  /**
   * Processes a report of the groups' lag. `askedAtMs` is the time just before the log was queried, and `answeredAtMs` the time just after
   * the log responded.
   */
  observe(lags: readonly GroupLag[], askedAtMs: number, answeredAtMs: number): void
  /**
   * Returns the time before which all acknowledged data is readable, in milliseconds since the epoch. The time never decreases. Undefined
   * until the time is known.
   */
  until(path: CompletenessPath): number | undefined
}

/**
 * The maximum difference between the clocks of the brokers and the clock of this process. If clocks differ more than this, their times
 * cannot be compared.
 */
const clockSlackMs = 1_000
/**
 * When the maximum is reached, every second entry is removed, so that the entries cover hours. A removed entry can make the reported time
 * earlier, but never later.
 */
const maxRemembered = 2_000
const kept = 20

interface Known {
  /** The time at which the value became known. */
  readonly atMs: number
  readonly untilMs: number
}

/** Remembers the earlier values of a step, because the next step can still be processing records that were written while an earlier value held. */
function createMemory() {
  let known: Known[] = []
  return {
    add(one: Known): void {
      known.push(one)
      if (known.length > maxRemembered) known = known.filter((_, index) => index % 2 === 1)
    },
    /** Returns the newest value that was known before `timeMs`. */
    asOf(timeMs: number): number | undefined {
      const index = known.findLastIndex(({ atMs }) => atMs < timeMs)
      const found = known[index]?.untilMs
      // Later calls request later times (except for clock differences), so they do not need older entries.
      if (index > kept) known.splice(0, index - kept)
      return found
    },
  }
}

const keyOf = ({ topic, group }: Pick<GroupLag, 'topic' | 'group'>): string => `${group} ${topic}`

/**
 * Returns a time: the group has processed all records of the topic that were appended before it. If no record waits, returns the time of
 * the query, and otherwise the append time of the oldest waiting record. Undefined if the log does not know the age of a partition's
 * records.
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
        // The steps visited so far have processed everything that entered the route before this time.
        let untilMs: number | undefined = Number.POSITIVE_INFINITY
        for (const [index, { key, memory }] of way.entries()) {
          const own = stepUntil(byStep.get(key), askedAtMs)
          const before = way[index - 1]
          if (own === undefined) return undefined
          // This step has processed all records that the previous step appended before `own`. The value of this step is therefore the value
          // that the previous step had at the time `own`.
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
