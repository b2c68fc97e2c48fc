// The queue for scores. A single loop sends batches until the queue is empty.
import { type CreateScoreRequest, getGlobalLogger, safeSetTimeout } from '@svc/core'
import { flushAt, flushIntervalMs } from './settings.ts'

const maxQueued = 100_000
const maxBatch = 100
/** Maximum number of concurrent requests. */
const maxParallel = 16

export class ScoreQueue {
  private queued: CreateScoreRequest[] = []
  private draining: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly flushAt = flushAt()
  private readonly flushIntervalMs = flushIntervalMs()
  private readonly send: (batch: CreateScoreRequest[]) => Promise<void>

  /** `send` never rejects. */
  constructor(send: (batch: CreateScoreRequest[]) => Promise<void>) {
    this.send = send
  }

  add(score: CreateScoreRequest): void {
    if (this.queued.length >= maxQueued) {
      getGlobalLogger().error(`The score '${score.name}' is dropped: ${maxQueued} scores are queued already.`)
      return
    }
    this.queued.push(score)
    if (this.queued.length >= this.flushAt) void this.flush()
    else this.timer ??= safeSetTimeout(() => void this.flush(), this.flushIntervalMs)
  }

  /** Resolves when all scores are sent, including those queued during the call. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.draining !== undefined) return this.draining
    if (this.queued.length === 0) return Promise.resolve()
    return (this.draining = this.drain())
  }

  private async drain(): Promise<void> {
    async function lane(send: () => Promise<void> | undefined): Promise<void> {
      for (let sent = send(); sent !== undefined; sent = send()) await sent
    }
    const next = (): Promise<void> | undefined => (this.queued.length === 0 ? undefined : this.send(this.queued.splice(0, maxBatch)))
    try {
      while (this.queued.length > 0) await Promise.all(Array.from({ length: maxParallel }, () => lane(next)))
    } finally {
      this.draining = undefined
    }
  }
}
