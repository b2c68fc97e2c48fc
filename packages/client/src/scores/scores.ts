// `client.score`: scores are queued and sent in batches. None of the methods throws.
import { type Span, trace } from '@opentelemetry/api'
import {
  type CreateScoreBatchResults,
  type CreateScoreRequest,
  type CreateScoresResponse,
  getActiveContext,
  getGlobalLogger,
  LogLevel,
  type SvcAPIClient,
  SvcAPITimeoutError,
  type WithRawResponse,
} from '@svc/core'
import { ScoreQueue } from './score-queue.ts'
import { problemOf, queuedScore } from './validate.ts'

/** A score that gets its trace id and observation id from a span. */
export type ScoreOfSpan = Omit<CreateScoreRequest, 'traceId' | 'sessionId' | 'observationId' | 'datasetRunId'>

/** An observation, or any other object with a span. */
export interface SpanHolder {
  readonly otelSpan: Span
}

export interface ScoreManagerParams {
  readonly apiClient: SvcAPIClient
  /** Time limit of each request; by default, the time limit of the API client. */
  readonly timeoutInSeconds?: number | undefined
}

/** After a timeout, the service may already have received the scores. A retry is safe, because each score has an id. */
const timeoutRetries = 1

export class ScoreManager {
  private readonly api: SvcAPIClient
  private readonly timeoutInSeconds: number | undefined
  private readonly queue: ScoreQueue = new ScoreQueue(batch => this.send(batch))

  constructor({ apiClient, timeoutInSeconds }: ScoreManagerParams) {
    this.api = apiClient
    this.timeoutInSeconds = timeoutInSeconds
  }

  /** Queues a score. A score that cannot be sent is logged and dropped. */
  create(data: CreateScoreRequest): void {
    try {
      const problem = problemOf(data)
      if (problem !== undefined) {
        getGlobalLogger().error(`A score is dropped. ${problem}`)
        return
      }
      const score = queuedScore(data)
      const logger = getGlobalLogger()
      if (logger.isLevelEnabled(LogLevel.DEBUG)) logger.debug(`Queue score ${JSON.stringify(score)}`)
      this.queue.add(score)
    } catch (error) {
      getGlobalLogger().error('A score is dropped: it cannot be written as JSON.', error)
    }
  }

  /** Queues a score for an observation. */
  observation(of: SpanHolder, data: ScoreOfSpan): void {
    this.createFor(of, data, ({ traceId, spanId }) => ({ traceId, observationId: spanId }))
  }

  /** Queues a score for the trace of an observation. */
  trace(of: SpanHolder, data: ScoreOfSpan): void {
    this.createFor(of, data, ({ traceId }) => ({ traceId }))
  }

  /** Queues a score for the active observation. */
  activeObservation(data: ScoreOfSpan): void {
    this.ofActiveSpan(span => this.observation({ otelSpan: span }, data))
  }

  /** Queues a score for the active trace. */
  activeTrace(data: ScoreOfSpan): void {
    this.ofActiveSpan(span => this.trace({ otelSpan: span }, data))
  }

  /** Resolves when the service has responded to all scores queued before or during the call. */
  flush(): Promise<void> {
    return this.queue.flush()
  }

  /** Same as `flush`, because nothing else needs a shutdown. */
  shutdown(): Promise<void> {
    return this.queue.flush()
  }

  private createFor(
    of: SpanHolder,
    data: ScoreOfSpan,
    ids: (context: { readonly traceId: string; readonly spanId: string }) => Partial<CreateScoreRequest>,
  ): void {
    let context: Partial<CreateScoreRequest>
    try {
      context = ids(of.otelSpan.spanContext())
    } catch (error) {
      getGlobalLogger().error('A score is dropped, because it has no span.', error)
      return
    }
    const isObject = typeof data === 'object' && data !== null
    this.create(isObject ? { ...data, ...context } : data)
  }

  private ofActiveSpan(score: (span: Span) => void): void {
    const span = trace.getSpan(getActiveContext())
    if (span) score(span)
    else getGlobalLogger().warn('A score is dropped: no span is active.')
  }

  private async send(batch: CreateScoreRequest[]): Promise<void> {
    try {
      const { data, rawResponse } = await this.request(batch, timeoutRetries)
      if (rawResponse.status !== 207) return
      const { rejected, errors } = data as CreateScoreBatchResults
      const reasons = JSON.stringify(errors)
      getGlobalLogger().error(`The service rejected ${rejected} of ${batch.length} scores, which are not sent again: ${reasons}`)
    } catch (error) {
      getGlobalLogger().error(`Failed to export a batch of ${batch.length} scores. They are dropped.`, error)
    }
  }

  private async request(batch: CreateScoreRequest[], retries: number): Promise<WithRawResponse<CreateScoresResponse>> {
    const options = this.timeoutInSeconds === undefined ? {} : { timeoutInSeconds: this.timeoutInSeconds }
    try {
      return await this.api.scores.create(batch, options).withRawResponse()
    } catch (error) {
      if (!(error instanceof SvcAPITimeoutError) || retries === 0) throw error
      return this.request(batch, retries - 1)
    }
  }
}
