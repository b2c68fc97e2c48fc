// Response types that report where a trace's spans are and where a stored observation came from.
import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'

const LogRecord = z.object({
  topic: z.string(),
  partition: z.int(),
  offset: z.int(),
  /** Spans of this trace in the record; 1 for an event of the legacy API. */
  spans: z.int(),
  acceptedAt: responseTime,
})

export const WhereTrace = z.object({
  traceId: z.string(),
  /** State of the span that is furthest behind: a trace with one waiting span is not `stored`. */
  state: z.enum(['stored', 'in_window', 'on_the_log', 'dead_lettered', 'deleted', 'unknown']),
  /** The state as a sentence. */
  message: z.string(),
  stored: z.object({ observations: z.int(), roots: z.int(), newestAt: responseTime.nullable() }),
  /** Records not yet in the tables, at most 100. */
  onTheLog: z.object({ spans: z.int(), records: z.array(LogRecord) }),
  /** Records in the window, at most 100; they become readable seconds after `until`. */
  inWindow: z.object({ spans: z.int(), until: responseTime.nullable(), records: z.array(LogRecord.extend({ until: responseTime })) }),
  /** At most 100 matches; only the newest dead letters are searched. */
  deadLetters: z.array(z.object({ id: z.string(), stage: z.string(), reason: z.string(), message: z.string(), at: responseTime })),
  deletedAt: responseTime.nullable(),
  /** False when the search timed out and may have missed records. */
  isWhole: z.boolean(),
})

const ExplainedColumn = z.object({
  value: z.unknown(),
  /** Null when no rule matched and the column holds its default. */
  rule: z.string().nullable(),
  attributes: z.array(z.string()),
})

export const ObservationOrigin = z.object({
  observationId: z.string(),
  traceId: z.string(),
  /** Position on the log; null when the row names no record. */
  place: z.object({ topic: z.string(), partition: z.int(), offset: z.int(), index: z.int() }).nullable(),
  /** Time when the span first reached the log. */
  storedAt: responseTime,
  source: z.string(),
  apiKey: z.string(),
  sdk: z.object({ name: z.string(), version: z.string() }),
  receivedAt: responseTime.nullable(),
  /** Explanations by column, from the rules of this release; null when `message` explains why there are none. */
  columns: recordOf(ExplainedColumn).nullable(),
  /** Source of each usage key and each cost, and the reason why other usage-like metadata stayed metadata. */
  notes: z.array(z.object({ about: z.enum(['usage', 'cost', 'left']), name: z.string(), why: z.string() })),
  message: z.string(),
})
