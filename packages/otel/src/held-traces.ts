// Keeps a platform from freezing the process while a request has open or unsent spans.
import { getGlobalLogger } from '@svc/core'

export type WaitUntil = (work: Promise<unknown>) => void

interface Held {
  openSpans: number
  release(): void
}

/** Maximum number of remembered traces. Without a maximum, traces whose spans never end would be remembered forever. */
const mostHeld = 100_000

export class HeldTraces {
  private readonly traces = new Map<string, Held>()
  private readonly waitUntil: WaitUntil
  private readonly flush: () => Promise<void>

  constructor(waitUntil: WaitUntil, flush: () => Promise<void>) {
    this.waitUntil = waitUntil
    this.flush = flush
  }

  start(traceId: string): void {
    const held = this.traces.get(traceId)
    if (held) held.openSpans++
    else this.hold(traceId)
  }

  /**
   * Call this when a span of the trace has ended. If the span was the trace's last open span, this method sends all ended spans. After
   * that, the platform may freeze the process.
   */
  end(traceId: string): void {
    const held = this.traces.get(traceId)
    if (!held || --held.openSpans > 0) return
    this.traces.delete(traceId)
    this.flush().then(held.release, held.release)
  }

  private hold(traceId: string): void {
    try {
      this.waitUntil(new Promise<void>(release => this.traces.set(traceId, { openSpans: 1, release })))
    } catch (error) {
      this.traces.delete(traceId)
      getGlobalLogger().debug(
        'The platform may stop before a trace is sent: waitUntil failed, for example because no request is being served.',
        error,
      )
    }
    if (this.traces.size <= mostHeld) return
    for (const [oldest, { release }] of this.traces) {
      this.traces.delete(oldest)
      release()
      break
    }
  }
}
