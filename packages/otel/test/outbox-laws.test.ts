// Tests the outbox with random spans and random failures of the server. The server must accept each span at most once, and in order. The
// outbox may drop only refused spans and, when the outbox is full, its oldest spans.
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import { configureGlobalLogger, LogLevel } from '@svc/core'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Outbox } from '../src/export/outbox.ts'
import { LostSpans } from '../src/lost-spans.ts'

beforeEach(() => {
  vi.useFakeTimers()
  configureGlobalLogger({ level: LogLevel.NONE })
})
afterEach(() => {
  vi.useRealTimers()
})

type Answer = 'taken' | 'later' | 'never'
const results: Readonly<Record<Answer, ExportResult>> = {
  taken: { code: ExportResultCode.SUCCESS },
  later: { code: ExportResultCode.FAILED, error: Object.assign(new Error('away'), { code: 'ECONNREFUSED' }) },
  never: { code: ExportResultCode.FAILED, error: Object.assign(new Error('no'), { code: 400 }) },
}

/** A stub of a server. The stub first responds with `answers`, and then accepts everything. */
class Server implements SpanExporter {
  readonly taken: string[] = []
  readonly refused: string[] = []
  private readonly answers: Answer[]
  constructor(answers: readonly Answer[]) {
    this.answers = [...answers]
  }
  export(spans: ReadableSpan[], callback: (result: ExportResult) => void): void {
    const answer = this.answers.shift() ?? 'taken'
    const names = spans.map(({ name }) => name)
    if (answer === 'taken') this.taken.push(...names)
    if (answer === 'never') this.refused.push(...names)
    // Some exporters call back before `export` returns. Other exporters call back later.
    if (names.length % 2 === 0) callback(results[answer])
    else setTimeout(() => callback(results[answer]), 10)
  }
  async shutdown(): Promise<void> {}
}

const spanOf = (name: string, size: number) =>
  ({ name, status: {}, attributes: { text: 'x'.repeat(size) }, events: [], links: [] }) as unknown as ReadableSpan

const bursts = fc.array(
  fc.record({ count: fc.integer({ min: 1, max: 12 }), size: fc.integer({ min: 0, max: 30 }), pauseMs: fc.nat(3000) }),
  {
    minLength: 1,
    maxLength: 12,
  },
)
const answers = fc.array(fc.constantFrom<Answer>('taken', 'later', 'never'), { maxLength: 30 })

test('every span is taken once and in order, or refused, or dropped as one of the oldest and counted', async () => {
  await fc.assert(
    fc.asyncProperty(bursts, answers, fc.integer({ min: 5, max: 60 }), async (given, said, maxKeptSpans) => {
      const server = new Server(said)
      const lost = new LostSpans()
      const counted = vi.spyOn(lost, 'add')
      const outbox = new Outbox({
        ...{ exporter: server, lost, maxBatchSpans: 4, maxBatchBytes: 200, maxKeptSpans, maxKeptBytes: 1500 },
        ...{ flushTimeoutMs: 600_000, shutdownTimeoutMs: 600_000 },
      })
      const sent: string[] = []
      for (const { count, size, pauseMs } of given) {
        const spans = Array.from({ length: count }, (_, at) => spanOf(`${sent.length + at}`, size))
        sent.push(...spans.map(({ name }) => name))
        outbox.export(spans, () => {})
        await vi.advanceTimersByTimeAsync(pauseMs)
      }
      const flushed = outbox.forceFlush()
      await vi.advanceTimersByTimeAsync(600_000)
      await flushed
      const dropped = counted.mock.calls.reduce((sum, [, count]) => sum + count, 0)
      const order = (names: readonly string[]) => [...names].sort((a, b) => Number(a) - Number(b))
      expect(server.taken).toEqual(order(server.taken))
      const arrived = [...server.taken, ...server.refused]
      expect(new Set(arrived).size).toBe(arrived.length)
      expect(arrived.length + dropped).toBe(sent.length)
      if (!said.includes('later') && dropped === 0) expect(order(arrived)).toEqual(sent)
    }),
    { numRuns: 200 },
  )
})
