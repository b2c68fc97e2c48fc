// Types of the wire: where the spans of a trace are, and where a stored observation came from.
import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'

const LogRecord = z.object({
  topic: z.string(),
  partition: z.int(),
  offset: z.int(),
  /** Of the trace; of an event of the legacy API: 1. */
  spans: z.int(),
  acceptedAt: responseTime,
})

export const WhereTrace = z.object({
  traceId: z.string(),
  /** What is furthest behind: a trace of which a span waits is not `stored`, whatever is there already. */
  state: z.enum(['stored', 'in_window', 'on_the_log', 'dead_lettered', 'deleted', 'unknown']),
  /** The same as a sentence. */
  message: z.string(),
  stored: z.object({ observations: z.int(), roots: z.int(), newestAt: responseTime.nullable() }),
  /** On their way to the tables; the first 100 records. */
  onTheLog: z.object({ spans: z.int(), records: z.array(LogRecord) }),
  /** Readable seconds after `until`; the first 100 records. */
  inWindow: z.object({ spans: z.int(), until: responseTime.nullable(), records: z.array(LogRecord.extend({ until: responseTime })) }),
  /** Among the newest, 100 at most. */
  deadLetters: z.array(z.object({ id: z.string(), stage: z.string(), reason: z.string(), message: z.string(), at: responseTime })),
  deletedAt: responseTime.nullable(),
  /** False: the look took too long, and more may be there. */
  isWhole: z.boolean(),
})

const ExplainedColumn = z.object({
  value: z.unknown(),
  /** Null: no rule found anything, the column holds its default. */
  rule: z.string().nullable(),
  attributes: z.array(z.string()),
})

export const ObservationOrigin = z.object({
  observationId: z.string(),
  traceId: z.string(),
  /** On the log; null: the row names no record. */
  place: z.object({ topic: z.string(), partition: z.int(), offset: z.int(), index: z.int() }).nullable(),
  /** When its span was first on the log. */
  storedAt: responseTime,
  source: z.string(),
  apiKey: z.string(),
  sdk: z.object({ name: z.string(), version: z.string() }),
  receivedAt: responseTime.nullable(),
  /** By column, with the rules of this release; null: `message` says why. */
  columns: recordOf(ExplainedColumn).nullable(),
  /** Where each usage key and each cost came from, and why what looks like usage stayed in the metadata. */
  notes: z.array(z.object({ about: z.enum(['usage', 'cost', 'left']), name: z.string(), why: z.string() })),
  message: z.string(),
})
