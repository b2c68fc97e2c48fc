// Counts each lost span once, and logs one line per reason and interval.
import { getGlobalLogger, safeSetTimeout } from '@svc/core'

export type LossReason =
  | 'the buffer was full, because the server could not be reached or was too slow'
  | 'the queue of the batch processor was full'
  | 'the server could not be reached until shutdown'
  | 'the exporter failed'
  | 'they ended after shutdown'
  | 'their tracer provider belongs to SDK 1 of OpenTelemetry: install its packages of version 2'

const reportAfterMs = 60_000

export class LostSpans {
  private readonly counts = new Map<LossReason, number>()
  private timer: ReturnType<typeof setTimeout> | undefined

  add(reason: LossReason, count: number): void {
    if (count === 0) return
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + count)
    this.timer ??= safeSetTimeout(() => this.report(), reportAfterMs)
  }

  report(): void {
    if (this.timer !== undefined) clearTimeout(this.timer)
    this.timer = undefined
    const counted = [...this.counts]
    this.counts.clear()
    for (const [reason, count] of counted) getGlobalLogger().warn(`${count} spans were lost: ${reason}.`)
  }
}
