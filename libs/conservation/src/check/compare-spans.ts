// If a range of the log has a wrong number of rows, compares the range's spans with the rows, span by span. The comparison finds spans that
// are stored twice or missing, and spans that a client sent twice and whose rows were merged.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type DeadLetters, type DeadLettersOfRecord, recordKey } from '@svc-server/dead-letters/by-record'
import type { Denials } from '@svc-server/deletions/denials'
import type { EventLog, LogRecord } from '@svc-server/log'
import { type Envelope, envelopeOf } from '@svc-server/schema/envelope'
import type { ExpiredDeadLetters } from '../expired-dead-letters.ts'
import { recordsOf } from '../spans-on-log.ts'
import type { Findings } from './report.ts'
import { newestRows, type RowsRange, rowsByProvenance, type SpanOnLog, spanKey } from './rows.ts'
import { spanKeysOf } from './span-keys.ts'

export interface SpanComparison {
  readonly superseded: number
  /** Spans whose dead letters are no longer on the topic. */
  readonly gone: number
  /** Spans of deleted traces and projects. */
  readonly denied: number
  readonly missing: number
}

export interface ComparisonDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly deadLetters: DeadLetters
  readonly findings: Findings
  readonly denials: Denials
  readonly maxRecordBytes: number
  /** Counts only spans of a record that become rows with provenance in events_full: the comparison finds a row by its provenance. */
  readonly storedSpans: (topic: string, envelope: Envelope) => number
}

interface Absent {
  readonly offset: number
  readonly rowTimeUs: number
  /** The ids and the start of the span; null if the record is unreadable. */
  readonly key: SpanOnLog | null
}

export async function compareSpans(
  deps: ComparisonDeps & { readonly gone: ExpiredDeadLetters },
  range: RowsRange,
): Promise<SpanComparison> {
  const { log, columnStore, deadLetters, findings, maxRecordBytes, denials } = deps
  const { topic, partition } = range
  const present = new Map(await rowsByProvenance(columnStore, range))
  const absent: Absent[] = []
  const found = { topic, partition, unit: 'spans' as const }

  function compare({ offset, timestampMs, value }: LogRecord): void {
    const ofRecord: DeadLettersOfRecord | undefined = deadLetters.get(recordKey(topic, partition, offset))
    const expected = (index: number) => ofRecord === undefined || !(ofRecord.whole || ofRecord.spans.has(index))
    let keys: readonly SpanOnLog[] | null | undefined
    const envelope = envelopeOf(value, timestampMs)
    const { rowTimeUs } = envelope
    const spans = deps.storedSpans(topic, envelope)
    for (let index = 0; index < spans; index++) {
      const provenance = `${offset}#${index}`
      const raw = present.get(provenance) ?? 0
      present.delete(provenance)
      if (raw > 1)
        findings.add({
          ...found,
          kind: 'doubled',
          first: offset,
          last: offset,
          spans: raw - 1,
          example: `${topic}/${partition}/${provenance}`,
        })
      if (raw > 0 && !expected(index))
        findings.add({ ...found, kind: 'surplus', first: offset, last: offset, spans: raw, example: provenance })
      if (raw > 0 || !expected(index)) continue
      keys ??= spanKeysOf(value!, maxRecordBytes)
      absent.push({ offset, rowTimeUs, key: keys?.[index] ?? null })
    }
  }

  for await (const records of recordsOf(log, range)) for (const record of records) compare(record)
  for (const [provenance, raw] of present) {
    const offset = Number(provenance.slice(0, provenance.indexOf('#')))
    findings.add({ ...found, kind: 'surplus', first: offset, last: offset, spans: raw, example: `${topic}/${partition}/${provenance}` })
  }

  const newest = await newestRows(
    columnStore,
    absent.flatMap(({ key }) => key ?? []),
  )
  let superseded = 0
  let gone = 0
  let denied = 0
  for (const { offset, rowTimeUs, key } of absent) {
    if (key !== null && (newest.get(spanKey(key)) ?? -1) >= rowTimeUs) superseded += 1
    else if (key !== null && denials.concerns(key.projectId) && denials.denies(key.projectId, key.traceId, key.startTimeUs)) denied += 1
    else if (deps.gone.take(offset, 1) > 0) gone += 1
    else findings.add({ ...found, kind: 'missing', first: offset, last: offset, spans: 1, ...(key && { example: spanKey(key) }) })
  }
  return { superseded, gone, denied, missing: absent.length - superseded - gone - denied }
}
