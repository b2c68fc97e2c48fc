// Whether the writer gets anywhere. Each partition counts for itself: one that is stuck must not hide behind the others.
import type { EventLog } from '@svc-server/log'
import { type CheckResult, createProgressTracker, type Health, healthy, type ProgressTracker, unhealthy } from '@svc-server/telemetry'
import { isReadBy, type TopicReader } from './lag.ts'

export interface WriterHealth {
  progress(at: { topic: string; partition: number }): void
  halt(reason: string): void
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
  let halted: string | null = null

  const tracker = ({ topic, partition }: { topic: string; partition: number }): ProgressTracker => {
    const key = `${topic}/${partition}`
    const known = trackers.get(key) ?? createProgressTracker({ thresholdMs })
    trackers.set(key, known)
    return known
  }

  async function checkProgress(): Promise<CheckResult> {
    if (halted !== null) return unhealthy(halted)
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
    health.register({ name: 'events-writer', probe: 'ready', check: () => (halted === null ? healthy : unhealthy(halted)) }),
  ]
  return {
    progress: at => tracker(at).progress(),
    halt(reason) {
      halted = reason
    },
    unregister() {
      for (const remove of registered) remove()
    },
  }
}
