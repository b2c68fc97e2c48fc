import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'

const LogRecord = z.object({
  topic: z.string(),
  partition: z.int(),
  offset: z.int(),
  /** Number of spans of this trace in the record. For an event of the legacy API, the number is 1. */
  spans: z.int(),
  acceptedAt: responseTime,
})

export const WhereTrace = z.object({
  traceId: z.string(),
  /**
   * The state of the trace. If several states apply, the result is the first of them in this order: `deleted`, `in_window`, `on_the_log`,
   * `dead_lettered`, `stored`. `stored` therefore means that no span is waiting. `unknown`: the search found nothing of the trace.
   */
  state: z.enum(['stored', 'in_window', 'on_the_log', 'dead_lettered', 'deleted', 'unknown']),
  /** The state as a sentence. */
  message: z.string(),
  stored: z.object({ observations: z.int(), roots: z.int(), newestAt: responseTime.nullable() }),
  /** The spans and records that are not in the tables yet. `records` has at most 100 elements. */
  onTheLog: z.object({ spans: z.int(), records: z.array(LogRecord) }),
  /**
   * At most 100 records that wait for the end of their window. The spans of such a record become readable a few seconds after `until`.
   */
  inWindow: z.object({ spans: z.int(), until: responseTime.nullable(), records: z.array(LogRecord.extend({ until: responseTime })) }),
  /** At most 100 dead letters of the trace. The search covers only the newest dead letters on the topic. */
  deadLetters: z.array(z.object({ id: z.string(), stage: z.string(), reason: z.string(), message: z.string(), at: responseTime })),
  deletedAt: responseTime.nullable(),
  /** False if the search timed out and records can be missing from the result. */
  isWhole: z.boolean(),
})

/** For each combination of key, outcome and reason: the last request. */
export const Arrivals = z
  .object({
    arrivals: z.array(
      z.object({
        publicKey: z.string(),
        /** `rejected`: some spans of the request were invalid. */
        outcome: z.enum(['accepted', 'rejected', 'refused']),
        /** Code of the error. It is empty if the request was accepted. */
        reason: z.string(),
        message: z.string(),
        /** HTTP status of the response. */
        status: z.int(),
        spans: z.int(),
        /** Trace of the first accepted span. */
        traceId: z.string().nullable(),
        receivedAt: responseTime,
        /** Time when the log acknowledged the spans. */
        loggedAt: responseTime.nullable(),
        /** Number of requests with the same key, outcome and reason so far. */
        requests: z.int(),
      }),
    ),
  })
  .meta({ id: 'Arrivals' })

const ExplainedColumn = z.object({
  value: z.unknown(),
  /** The rule that determined the value. Null if no rule matched and the column has its default value. */
  rule: z.string().nullable(),
  attributes: z.array(z.string()),
})

export const ObservationOrigin = z.object({
  observationId: z.string(),
  traceId: z.string(),
  /** Position of the record on the log, or null if the row does not contain a position. */
  place: z.object({ topic: z.string(), partition: z.int(), offset: z.int(), index: z.int() }).nullable(),
  /** Time when the span first reached the log. */
  storedAt: responseTime,
  source: z.string(),
  apiKey: z.string(),
  sdk: z.object({ name: z.string(), version: z.string() }),
  receivedAt: responseTime.nullable(),
  /** Explanations by column, from the rules of this release. Null if the server cannot explain the row; `message` contains the reason. */
  columns: recordOf(ExplainedColumn).nullable(),
  /** Explains where each usage key and each cost came from, and why other metadata that looks like usage was not used. */
  notes: z.array(z.object({ about: z.enum(['usage', 'cost', 'left']), name: z.string(), why: z.string() })),
  message: z.string(),
})
