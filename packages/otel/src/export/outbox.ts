// Keeps ended spans until the server accepts or permanently refuses them. An outage of the server only delays spans (contract §6).
import { context } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, suppressTracing } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import { getGlobalLogger, safeSetTimeout } from '@svc/core'
import type { LostSpans } from '../lost-spans.ts'
import { isTransient, statusOf } from './failure.ts'
import { spanSize } from './span-size.ts'

export interface OutboxSettings {
  readonly exporter: SpanExporter
  readonly lost: LostSpans
  /** Maximum number of spans in one request while there is no backlog. */
  readonly maxBatchSpans: number
  /** Maximum size of one request, measured in characters. A single span that has more characters is dropped. */
  readonly maxBatchBytes: number
  /** Beyond these limits, the oldest spans are dropped. */
  readonly maxKeptSpans: number
  readonly maxKeptBytes: number
  /** Maximum time for which forceFlush waits for an unreachable server. */
  readonly flushTimeoutMs: number
  readonly shutdownTimeoutMs: number
}

interface Kept {
  readonly span: ReadableSpan
  readonly size: number
}

/** While there is a backlog, a request contains up to this many spans. With smaller requests, the backlog would shrink too slowly. */
const catchUpBatchSpans = 512
/** Maximum sum of `spanSize` in one request (characters). The limit is small, because memory holds several copies of the encoded text. */
export const requestBytes: number = 4 * 1024 * 1024
const firstPauseMs = 500
const longestPauseMs = 4000
/** Longest pause between attempts while forceFlush or shutdown waits. */
const longestAwaitedPauseMs = 1000

type Outcome = { readonly kind: 'delivered' } | { readonly kind: 'transient' | 'permanent'; readonly error: unknown }

export class Outbox implements SpanExporter {
  private readonly settings: OutboxSettings
  private kept: Kept[] = []
  private keptBytes = 0
  /** Spans of the current request, which are no longer in `kept`. */
  private inFlight: readonly Kept[] = []
  private isRunning = false
  private isShutDown = false
  private isClosed = false
  /** Transient failures in a row. */
  private failures = 0
  /** True from the start of an outage until the waiting spans fit into one request. */
  private isInArrears = false
  private resume: (() => void) | undefined
  private readonly waiters = new Set<() => void>()

  constructor(settings: OutboxSettings) {
    this.settings = settings
  }

  /** Calls back immediately, because the outbox itself handles failures. */
  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    if (this.isShutDown) {
      this.settings.lost.add('they ended after shutdown', spans.length)
    } else {
      for (const span of spans) this.keep(span)
      this.dropOldest()
      void this.run()
    }
    resultCallback({ code: ExportResultCode.SUCCESS })
  }

  /** Resolves when all spans are delivered or refused, or at the time limit. */
  async forceFlush(): Promise<void> {
    if (!(await this.isEmptyWithin(this.settings.flushTimeoutMs))) {
      const count = this.kept.length + this.inFlight.length
      getGlobalLogger().error(
        `${count} spans are not delivered yet: the server cannot be reached. They are kept, and sent when the server can be reached again.`,
      )
    }
    this.settings.lost.report()
  }

  /** Waits until all spans are delivered or refused, or until the time limit. Then drops the remaining spans. */
  async shutdown(): Promise<void> {
    if (this.isShutDown) return
    this.isShutDown = true
    await this.isEmptyWithin(this.settings.shutdownTimeoutMs)
    this.isClosed = true
    this.resume?.()
    // The shutdown of the exporter waits for the current request.
    await this.settings.exporter.shutdown()
    this.settings.lost.add('the server could not be reached until shutdown', this.kept.length)
    this.kept = []
    this.settings.lost.report()
  }

  private keep(span: ReadableSpan): void {
    const size = spanSize(span)
    const { maxBatchBytes } = this.settings
    if (size > maxBatchBytes) {
      getGlobalLogger().warn(
        `Dropped a batch of 1 span: it has at least ${size} bytes, and the limit is ${maxBatchBytes} (SVC_OTEL_MAX_BATCH_SIZE_BYTES).`,
      )
      return
    }
    this.kept.push({ span, size })
    this.keptBytes += size
  }

  private dropOldest(): void {
    const { maxKeptSpans, maxKeptBytes, lost } = this.settings
    let count = Math.max(0, this.kept.length - maxKeptSpans)
    let bytes = this.keptBytes
    for (let at = 0; at < count; at++) bytes -= this.kept[at]!.size
    while (bytes > maxKeptBytes) bytes -= this.kept[count++]!.size
    if (count === 0) return
    this.kept.splice(0, count)
    this.keptBytes = bytes
    lost.add('the buffer was full, because the server could not be reached or was too slow', count)
  }

  /** Oldest spans first. */
  private take(): readonly Kept[] {
    const { maxBatchSpans, maxBatchBytes } = this.settings
    const most = this.isInArrears ? Math.max(maxBatchSpans, catchUpBatchSpans) : maxBatchSpans
    const mostBytes = Math.min(maxBatchBytes, requestBytes)
    let count = 1
    let bytes = this.kept[0]!.size
    while (count < this.kept.length && count < most && bytes + this.kept[count]!.size <= mostBytes) bytes += this.kept[count++]!.size
    this.keptBytes -= bytes
    return this.kept.splice(0, count)
  }

  private async run(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    while (this.kept.length > 0 && !this.isClosed) {
      this.inFlight = this.take()
      const outcome = await this.send(this.inFlight)
      if (outcome.kind === 'transient') await this.keepFor(outcome.error)
      else this.settle(outcome)
    }
    this.isRunning = false
    for (const wake of this.waiters) wake()
  }

  private settle(outcome: Outcome): void {
    if (outcome.kind !== 'delivered') {
      const status = statusOf(outcome.error)
      const why = status === undefined ? 'they cannot be sent' : `the server refused them with status ${status}`
      getGlobalLogger().error(`${this.inFlight.length} spans were lost: ${why}.`, outcome.error)
    } else if (this.failures > 0) {
      getGlobalLogger().info('The server can be reached again. Kept spans are being sent.')
      this.settings.lost.report()
    }
    this.inFlight = []
    this.failures = 0
    if (this.kept.length <= this.settings.maxBatchSpans) this.isInArrears = false
  }

  /** The server removes duplicates, so a batch that it received can be resent. */
  private async keepFor(error: unknown): Promise<void> {
    if (this.failures++ === 0) {
      const { maxKeptSpans, maxKeptBytes } = this.settings
      getGlobalLogger().warn(
        `The server cannot be reached. The SDK keeps at most ${maxKeptSpans} spans and ${maxKeptBytes} bytes, and sends them when the server can be reached again.`,
        error,
      )
    }
    this.kept = [...this.inFlight, ...this.kept]
    for (const { size } of this.inFlight) this.keptBytes += size
    this.inFlight = []
    this.isInArrears = true
    this.dropOldest()
    if (this.isClosed) return
    const longest = this.waiters.size > 0 ? longestAwaitedPauseMs : longestPauseMs
    const pauseMs = Math.min(firstPauseMs * 2 ** (this.failures - 1), longest) * (0.8 + Math.random() * 0.4)
    await new Promise<void>(resolve => {
      // Waiting calls of forceFlush and shutdown keep the process alive, but this timer does not.
      const timer = safeSetTimeout(resolve, pauseMs)
      this.resume = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.resume = undefined
  }

  private send(batch: readonly Kept[]): Promise<Outcome> {
    const { exporter } = this.settings
    return new Promise(resolve => {
      function settle({ code, error }: ExportResult): void {
        if (code === ExportResultCode.SUCCESS) resolve({ kind: 'delivered' })
        else resolve({ kind: isTransient(error) ? 'transient' : 'permanent', error })
      }
      try {
        context.with(suppressTracing(context.active()), () =>
          exporter.export(
            batch.map(({ span }) => span),
            settle,
          ),
        )
      } catch (error) {
        resolve({ kind: 'permanent', error })
      }
    })
  }

  private isEmptyWithin(milliseconds: number): Promise<boolean> {
    if (!this.isRunning) return Promise.resolve(true)
    return new Promise(resolve => {
      const settle = (isEmpty: boolean): void => {
        clearTimeout(timer)
        this.waiters.delete(wake)
        resolve(isEmpty)
      }
      const wake = (): void => settle(true)
      // The application is waiting, so this timer keeps the process alive.
      const timer = setTimeout(() => settle(false), milliseconds)
      this.waiters.add(wake)
      this.resume?.()
    })
  }
}
