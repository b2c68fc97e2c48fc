// Until when everything that was acknowledged is readable, for each way into the tables. Lag says how much waits; this says what a
// reader may rely on: whoever asks for a time before it misses nothing that will still come (ADR 0032).
import type { GroupLag } from '@svc-server/log'
import { readersOf } from '@svc-server/modes/flows'
import { type GroupName, groupNames, type TopicName, topicNames } from '@svc-server/modes/names'

export const completenessPaths = ['direct', 'overflow', 'staged', 'ingestion', 'scores'] as const
export type CompletenessPath = (typeof completenessPaths)[number]

/** A topic and the group that has done with a record what has to be done once it has committed it. */
export interface Step {
  readonly topic: TopicName
  readonly group: GroupName
}

const { direct, overflow, staging, filled, ingestion, traceParts, entities, scores } = topicNames
const { writer, propagator, merger } = groupNames
const stored = (topic: TopicName): Step => ({ topic, group: writer })
const published: readonly Step[] = [{ topic: staging, group: propagator }, stored(filled)]
const merged: readonly Step[] = [ingestion, traceParts].map(topic => ({ topic, group: merger }))

/** The ways that a record of the path takes, step by step: each step's records are appended by the step before. */
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

/** The ways that a record takes from a topic on until it is readable, or carried out: all of them. */
export function waysFrom(topic: TopicName): readonly (readonly Step[])[] {
  const found = completenessPaths.flatMap(path => ways[path].filter(steps => steps[0]!.topic === topic))
  return found.length > 0 ? found : readersOf(topic).map(group => [{ topic, group }])
}

/** The path whose rows a topic has last; `other`: none of them. */
export function pathOf(topic: string): CompletenessPath | 'other' {
  return completenessPaths.find(path => ways[path].some(steps => steps.at(-1)!.topic === topic)) ?? 'other'
}

export interface Completeness {
  /** `askedAtMs`: before the log was asked; `answeredAtMs`: after it had answered. */
  observe(lags: readonly GroupLag[], askedAtMs: number, answeredAtMs: number): void
  /** Milliseconds since the epoch: what was acknowledged before is readable. Undefined until it is known. Never goes back. */
  until(path: CompletenessPath): number | undefined
}

/** Brokers' clocks and this one differ; by more than this they are not fit to be asked the time. */
const clockSlackMs = 1_000
/** Seconds apart, they reach back over hours; what lies further back is thinned out, which only makes the answer more careful. */
const maxRemembered = 2_000
const kept = 20

interface Known {
  /** When it was known. */
  readonly atMs: number
  readonly untilMs: number
}

/** What was known of a step at earlier times: the step behind may be further back than this one is now. */
function createMemory() {
  let known: Known[] = []
  return {
    add(one: Known): void {
      known.push(one)
      if (known.length > maxRemembered) known = known.filter((_, index) => index % 2 === 1)
    },
    /** The newest that was known before. */
    asOf(timeMs: number): number | undefined {
      const index = known.findLastIndex(({ atMs }) => atMs < timeMs)
      const found = known[index]?.untilMs
      // Times that are asked for rise, but for what clocks differ by.
      if (index > kept) known.splice(0, index - kept)
      return found
    },
  }
}

const keyOf = ({ topic, group }: Pick<GroupLag, 'topic' | 'group'>): string => `${group} ${topic}`

/**
 * Until when a group has everything of a topic: nothing waits, then until the question; else until the oldest record that
 * waits. Undefined: a partition has records whose age the log cannot say.
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
        // Until when all that entered the way has done with the steps so far.
        let untilMs: number | undefined = Number.POSITIVE_INFINITY
        for (const [index, { key, memory }] of way.entries()) {
          const own = stepUntil(byStep.get(key), askedAtMs)
          const before = way[index - 1]
          if (own === undefined) return undefined
          // What the step before had done by then lies before everything that still waits here.
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
