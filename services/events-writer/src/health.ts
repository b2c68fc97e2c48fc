// Whether the writer gets anywhere. Each partition counts for itself: one that is stuck must not hide behind the others.
import type { EventLog } from '@svc-server/log'
import { type CheckResult, createProgressTracker, type Health, healthy, type ProgressTracker, unhealthy } from '@svc-server/telemetry'
import { isReadBy, type TopicReader } from './lag.ts'

interface Place {
  readonly topic: string
  readonly partition: number
}

export interface WriterHealth {
  /** Something was acknowledged: what had halted the partition is mended. */
  progress(at: Place): void
  /** Only an operator can mend it. Without a place the whole consumer has ended. */
  halt(reason: string, at?: Place): void
  /** Partitions of these topics were assigned anew: whether what halted them still does, their owner finds out. */
  assigned(topics: readonly string[]): void
  readonly halted: boolean
  unregister(): void
}

export interface WriterHealthDeps {
  readonly log: EventLog
  readonly health: Health
  readonly readers: readonly TopicReader[]
  readonly thresholdMs: number
}

export function createWriterHealth({ log, health, readers, thresholdMs }: WriterHealthDeps): WriterHealth {
  const trackers = new Map<string, ProgressTracker>()
  const halts = new Map<string, { readonly reason: string; readonly topic: string | null }>()
  const keyOf = ({ topic, partition }: Place) => `${topic}/${partition}`

  const tracker = (at: Place): ProgressTracker => {
    const key = keyOf(at)
    const known = trackers.get(key) ?? createProgressTracker({ thresholdMs })
    trackers.set(key, known)
    return known
  }

  function checkHalts(): CheckResult {
    const [first] = halts.values()
    return first === undefined ? healthy : unhealthy(first.reason)
  }

  async function checkProgress(): Promise<CheckResult> {
    const halt = checkHalts()
    if (!halt.ok) return halt
    for (const lag of await log.lag()) {
      if (!isReadBy(readers, lag)) continue
      const one = tracker(lag)
      one.work(lag.lagRecords > 0)
      const result = one.check()
      if (!result.ok) return unhealthy(`${lag.topic}/${lag.partition}: ${result.reason}`)
    }
    return healthy
  }

  const registered = [
    health.register({ name: 'events-writer', probe: 'progress', check: checkProgress }),
    health.register({ name: 'events-writer', probe: 'ready', check: checkHalts }),
  ]
  return {
    progress(at) {
      halts.delete(keyOf(at))
      tracker(at).progress()
    },
    halt(reason, at) {
      const place = at === undefined ? '' : keyOf(at)
      halts.set(place, { reason: at === undefined ? reason : `${place}: ${reason}`, topic: at?.topic ?? null })
    },
    assigned(topics) {
      for (const [place, { topic }] of halts) if (topic !== null && topics.includes(topic)) halts.delete(place)
    },
    get halted() {
      return halts.size > 0
    },
    unregister() {
      for (const remove of registered) remove()
    },
  }
}
