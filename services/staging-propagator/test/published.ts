// Reads all output of the propagator from the log. Checks the rules that this output must always satisfy.
import type { EventLog, LogRecord } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { type DeadLetter, decodeDeadLetter } from '@svc-server/schema/dead-letter'
import { decodeLedgerRecord, type LedgerRecord } from '@svc-server/schema/ledger-record'
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import { decodeSpanBatch, rowTimeUs, type SpanBatch } from '@svc-server/schema/span-batch'
import { isStagedRunItem } from '@svc-server/schema/staged-run-item'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { decodeTraceWindow, type TraceWindow } from '@svc-server/schema/trace-window'
import { decodeTraceRequest } from '@svc-server/testkit'
import { inflated } from './staged.ts'

export interface FilledSpan {
  /** The project, the trace, the span and the position of the staged record. The position distinguishes spans that a client sent twice. */
  readonly id: string
  readonly rowTimeUs: number
  readonly fill: TraceAttributes
  readonly item: RunItemFill | null
}

interface PublishedWindow extends TraceWindow {
  readonly partition: number
  /** The project, the trace and the first offset, separated by slashes. */
  readonly key: string
}

export interface Published {
  readonly staging: readonly LogRecord[]
  readonly filled: readonly LogRecord[]
  readonly spans: readonly FilledSpan[]
  /** Windows that the records of trace.attributes describe. */
  readonly windows: readonly PublishedWindow[]
  readonly ledger: readonly LedgerRecord[]
  readonly deadLetters: readonly DeadLetter[]
}

const readBytes = 8 << 20

export async function readTopic(log: EventLog, name: string): Promise<LogRecord[]> {
  const { partitions } = (await log.describe()).find(({ spec }) => spec.name === name)!
  const records: LogRecord[] = []
  for (const { partition, lowWatermark, highWatermark } of partitions) {
    for (let from = lowWatermark; from < highWatermark; ) {
      const batch = await log.read(name, partition, from, readBytes)
      records.push(...batch.records)
      if (batch.nextOffset <= from) break
      from = batch.nextOffset
    }
  }
  return records
}

const hex = (id: unknown): string => Buffer.from(id as Uint8Array).toString('hex')

const spanIdsOf = (batch: SpanBatch): string[] =>
  (decodeTraceRequest(inflated(batch)).resourceSpans ?? []).flatMap(({ scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) => spans.map(({ spanId }) => hex(spanId))),
  )

const spanPlace = (key: string, spanId: string, partition: number, offset: number): string => `${key}/${spanId}@${partition}/${offset}`

function spansOf({ key, value, timestampMs }: LogRecord): FilledSpan[] {
  const batch = decodeSpanBatch(value!)
  const { partition, offset } = batch.staged!
  const items = batch.runItems ?? []
  return spanIdsOf(batch).map((spanId, index) => ({
    id: spanPlace(Buffer.from(key ?? '').toString(), spanId, partition, offset),
    rowTimeUs: rowTimeUs(batch, timestampMs),
    fill: batch.traceAttributes ?? {},
    item: items.find(({ spans }) => spans === null || spans.includes(index)) ?? null,
  }))
}

export async function readPublished(log: EventLog): Promise<Published> {
  const filled = await readTopic(log, topicNames.filled)
  return {
    filled,
    staging: await readTopic(log, topicNames.staging),
    spans: filled.flatMap(spansOf),
    windows: (await readTopic(log, topicNames.traceAttributes))
      .filter(({ value }) => value !== null)
      .map(({ partition, key, value }) => ({
        ...decodeTraceWindow(value!),
        partition,
        key: Buffer.from(key!).toString(),
      })),
    ledger: (await readTopic(log, topicNames.ledger)).map(({ value }) => decodeLedgerRecord(value!)),
    deadLetters: (await readTopic(log, topicNames.deadLetter)).map(({ value }) => decodeDeadLetter(value!)),
  }
}

export const repairsOf = ({ ledger }: Pick<Published, 'ledger'>): LedgerRecord[] =>
  ledger.filter(({ group }) => group !== groupNames.propagator)

/** Maps each id to its row. If a span has several rows, the row with the newest time is final. */
export function newestSpans(spans: readonly FilledSpan[]): Map<string, FilledSpan> {
  const newest = new Map<string, FilledSpan>()
  for (const span of spans) if ((newest.get(span.id)?.rowTimeUs ?? -1) <= span.rowTimeUs) newest.set(span.id, span)
  return newest
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Returns one sentence for each inconsistency. */
export function problemsOf(published: Published): string[] {
  return [...ledgerProblems(published), ...windowProblems(published), ...recordProblems(published), ...countProblems(published)].slice(
    0,
    20,
  )
}

/**
 * Checks that no span is lost: in every ledger record, the number of spans must equal the number of rows plus the number of dead letters.
 * Also checks that there are no gaps between the ranges of the records, and no gaps in the numbering of the repairs.
 */
function ledgerProblems({ ledger, staging }: Published): string[] {
  const problems: string[] = []
  for (const [what, records] of Map.groupBy(ledger, ({ group, partition }) => `${group}/${partition}`)) {
    const { group, partition } = records[0]!
    const isRepair = group !== groupNames.propagator
    let next = isRepair ? 1 : 0
    for (const { first, last, spans, rows, deadLettered } of records.toSorted((a, b) => a.first - b.first)) {
      if (first !== next) problems.push(`${what} goes on at ${first}, not at ${next}`)
      if (spans !== rows + deadLettered) problems.push(`${what}/${first}: ${spans} spans are ${rows} rows and ${deadLettered} dead letters`)
      next = last + 1
    }
    const end = staging.findLast(record => record.partition === partition)?.offset ?? -1
    if (!isRepair && next !== end + 1) problems.push(`${what} ends at ${next}, the partition at ${end + 1}`)
  }
  return problems
}

/** Checks that all attempts to publish a window have the same range of offsets. Also checks that windows do not overlap. */
function windowProblems({ windows }: Published): string[] {
  const problems: string[] = []
  for (const [partition, records] of Map.groupBy(windows, window => window.partition)) {
    let before = { firstOffset: -1, lastOffset: -1, endMs: 0 }
    for (const { firstOffset, lastOffset, endMs } of records.toSorted((a, b) => a.firstOffset - b.firstOffset)) {
      const isSame = firstOffset === before.firstOffset && lastOffset === before.lastOffset && endMs === before.endMs
      if (!isSame && firstOffset <= before.lastOffset) {
        problems.push(`window ${firstOffset}–${lastOffset} of ${partition} reaches into ${before.firstOffset}–${before.lastOffset}`)
      }
      before = { firstOffset, lastOffset, endMs }
    }
  }
  return problems
}

/** Checks that each filled record equals its staged record, except for the added attributes and the origin. */
function recordProblems({ filled, staging }: Published): string[] {
  const problems: string[] = []
  const byPlace = new Map(staging.map(record => [`${record.partition}/${record.offset}`, record]))
  const firstOf = new Map<number, number>()
  for (const { key, value, partition, offset } of filled) {
    const { staged, traceAttributes: _, runItems: ____, ...rest } = decodeSpanBatch(value!)
    const origin = staged && byPlace.get(`${staged.partition}/${staged.offset}`)
    if (!origin) {
      problems.push(`filled ${partition}/${offset} has no staged record`)
      continue
    }
    const { traceAttributes: __, staged: ___, runItems: _____, ...before } = decodeSpanBatch(origin.value!)
    const isSame =
      staged.timestampMs === origin.timestampMs &&
      partition === origin.partition &&
      Buffer.compare(Buffer.from(key ?? ''), Buffer.from(origin.key ?? '')) === 0 &&
      Buffer.compare(rest.payload, before.payload) === 0 &&
      JSON.stringify({ ...rest, payload: null }) === JSON.stringify({ ...before, payload: null })
    if (!isSame) problems.push(`filled ${partition}/${offset} differs from its staged record ${staged.partition}/${staged.offset}`)
    if (staged.generation > 0) continue
    const next = firstOf.get(partition) ?? 0
    if (staged.offset < next) problems.push(`staged ${partition}/${staged.offset} was published for the first time after ${next - 1}`)
    firstOf.set(partition, staged.offset + 1)
  }
  return problems
}

function countProblems({ spans, staging, ledger, deadLetters }: Published): string[] {
  const distinct = new Set(spans.map(({ id }) => id)).size
  const again = sum(repairsOf({ ledger }).map(repair => repair.spans))
  const bad = new Set(deadLetters.map(({ partition, offset }) => `${partition}/${offset}`))
  const staged = sum(
    staging.map(({ value, partition, offset }) => {
      const isNone = bad.has(`${partition}/${offset}`) || isStagedRunItem(value!)
      return isNone ? 0 : spanIdsOf(decodeSpanBatch(value!)).length
    }),
  )
  return [
    ...(distinct === staged ? [] : [`${staged} spans were staged, ${distinct} are filled`]),
    ...(spans.length === distinct + again ? [] : [`${spans.length} spans lie on spans.filled, not ${distinct} and ${again} repaired ones`]),
  ]
}
