// Reports, for each path into the tables, the time before which everything acknowledged is readable. Lag is the
// number of waiting records; this time is a guarantee for readers: no row of a request acknowledged before it will still appear (ADR 0032).
import type { GroupLag } from '@svc-server/log'
import { readersOf } from '@svc-server/modes/flows'
import { type GroupName, groupNames, type TopicName, topicNames } from '@svc-server/modes/names'

export const completenessPaths = ['direct', 'overflow', 'staged', 'ingestion', 'scores'] as const
export type CompletenessPath = (typeof completenessPaths)[number]

/** A topic and a group. Once the group has committed a record, its work on the record is done. */
export interface Step {
  readonly topic: TopicName
  readonly group: GroupName
}

const { direct, overflow, staging, filled, ingestion, traceParts, entities, scores } = topicNames
const { writer, propagator, merger } = groupNames
const stored = (topic: TopicName): Step => ({ topic, group: writer })
const published: readonly Step[] = [{ topic: staging, group: propagator }, stored(filled)]
const merged: readonly Step[] = [ingestion, traceParts].map(topic => ({ topic, group: merger }))

/** The routes of a path's records, step by step. The group of each step appends the records of the next one. */
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

/** Returns all routes from a topic until its records are readable, or carried out. */
export function waysFrom(topic: TopicName): readonly (readonly Step[])[] {
  const found = completenessPaths.flatMap(path => ways[path].filter(steps => steps[0]!.topic === topic))
  return found.length > 0 ? found : readersOf(topic).map(group => [{ topic, group }])
}

/** Returns the path that ends with this topic's rows, or `other` when none does. */
export function pathOf(topic: string): CompletenessPath | 'other' {
  return completenessPaths.find(path => ways[path].some(steps => steps.at(-1)!.topic === topic)) ?? 'other'
}

export interface Completeness {
  /** Takes a lag report. `askedAtMs` is before the log was queried, `answeredAtMs` after it responded. */
  observe(lags: readonly GroupLag[], askedAtMs: number, answeredAtMs: number): void
  /**
   * Milliseconds since the epoch: everything acknowledged before is readable. Undefined until known. Never decreases.
   */
  until(path: CompletenessPath): number | undefined
}

/** Maximum difference between the brokers' clocks and this one. Clocks that differ more cannot be compared. */
const clockSlackMs = 1_000
/**
 * At one entry per second the memory reaches back for hours. Older entries are thinned out, so the reported time may only become earlier.
 */
const maxRemembered = 2_000
const kept = 20

interface Known {
  /** When the value was known. */
  readonly atMs: number
  readonly untilMs: number
}

/** Remembers a step's earlier values, because the next step may lag behind this one's current value. */
function createMemory() {
  let known: Known[] = []
  return {
    add(one: Known): void {
      known.push(one)
      if (known.length > maxRemembered) known = known.filter((_, index) => index % 2 === 1)
    },
    /** Returns the newest value that was known before a time. */
    asOf(timeMs: number): number | undefined {
      const index = known.findLastIndex(({ atMs }) => atMs < timeMs)
      const found = known[index]?.untilMs
      // Requested times increase, except for clock differences.
      if (index > kept) known.splice(0, index - kept)
      return found
    },
  }
}

const keyOf = ({ topic, group }: Pick<GroupLag, 'topic' | 'group'>): string => `${group} ${topic}`

/**
 * Returns the time until which a group has processed everything of a topic: the query time when nothing waits,
 * otherwise the append time of the oldest waiting record. Undefined when the log cannot tell the age of a partition's
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
        // Time until which the steps so far have processed everything that entered the route.
        let untilMs: number | undefined = Number.POSITIVE_INFINITY
        for (const [index, { key, memory }] of way.entries()) {
          const own = stepUntil(byStep.get(key), askedAtMs)
          const before = way[index - 1]
          if (own === undefined) return undefined
          // Everything that the previous step had finished by then comes before the records that still wait for this step.
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
