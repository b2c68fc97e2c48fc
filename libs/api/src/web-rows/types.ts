// Request and response types of the web app's table.
import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'
import { ObservationLevel } from '../shared/types.ts'

/** One row of the observations table. Texts are cut to 200 characters, but lengths are those of whole texts. */
export const ObservationRow = z
  .object({
    id: z.string(),
    traceId: z.string(),
    parentObservationId: z.string().nullable(),
    startTime: responseTime,
    endTime: responseTime.nullable(),
    type: z.string(),
    name: z.string().nullable(),
    level: ObservationLevel,
    statusMessage: z.string().nullable(),
    isRoot: z.boolean(),
    environment: z.string(),
    version: z.string().nullable(),
    release: z.string().nullable(),
    userId: z.string().nullable(),
    sessionId: z.string().nullable(),
    traceName: z.string().nullable(),
    tags: z.array(z.string()),
    model: z.string().nullable(),
    promptName: z.string().nullable(),
    promptVersion: z.int().nullable(),
    usage: recordOf(z.int()),
    cost: recordOf(z.number()),
    /** Seconds. */
    latency: z.number().nullable(),
    timeToFirstToken: z.number().nullable(),
    bookmarked: z.boolean(),
    input: z.string().nullable(),
    inputLength: z.int(),
    output: z.string().nullable(),
    outputLength: z.int(),
  })
  .meta({ id: 'ObservationRow' })

export const ObservationRows = z
  .object({ data: z.array(ObservationRow), meta: z.object({ cursor: z.string().nullish() }) })
  .meta({ id: 'ObservationRows' })

export const sortFields = ['latency', 'cost', 'tokens', 'ttft'] as const
export const TopObservationRows = z.object({ data: z.array(ObservationRow) }).meta({ id: 'TopObservationRows' })

const names = z.array(z.string().min(1).max(800)).max(20)

/** The table rows for which the client requests additional values. `sumsOf` contains the ids of the traces whose sums are requested. */
export const MoreOfRowsRequest = z.strictObject({
  rows: z.array(z.object({ traceId: z.string(), id: z.string() })).max(200),
  metadata: names,
  scores: names,
  sumsOf: z.array(z.string()).max(200),
})

/** The beginning of a metadata value, and its type: 0 for a text, 1 for a number, 2 for a boolean, 3 for JSON, 4 for null. */
const MetadataLeaf = z.object({ text: z.string(), type: z.int() })

export const MoreOfRows = z
  .object({
    sums: z.array(z.object({ traceId: z.string(), observations: z.int(), cost: z.number(), tokens: z.number() })),
    rows: z.array(z.object({ traceId: z.string(), id: z.string(), metadata: recordOf(MetadataLeaf) })),
    /** `observationId` is null for a score of the trace. */
    scores: z.array(
      z.object({
        traceId: z.string(),
        observationId: z.string().nullable(),
        name: z.string(),
        value: z.union([z.number(), z.string()]),
      }),
    ),
  })
  .meta({ id: 'MoreOfRows' })

export const facetFields = [
  'name',
  'type',
  'level',
  'statusMessage',
  'model',
  'environment',
  'release',
  'version',
  'traceName',
  'promptName',
  'promptVersion',
  'userId',
  'sessionId',
  'traceTags',
  'metadata',
  'score',
  'traceScore',
] as const

/**
 * Values of fields, the most frequent first. A request can compare a part of the time range with the rest. In this case, the list begins
 * with the values whose share in the part differs most from their share in the rest.
 */
export const Facets = z
  .object({
    rows: z.int(),
    partRows: z.int(),
    facets: z.array(
      z.object({
        field: z.enum(facetFields),
        values: z.array(z.object({ value: z.string(), count: z.int(), partCount: z.int() })),
      }),
    ),
  })
  .meta({ id: 'Facets' })

/**
 * Buckets without rows are left out. `startMs` is in milliseconds since the epoch. A bucket of a day or more begins at midnight in the
 * requested time zone. The `startMs` of such a bucket is not the instant of this local midnight: it is midnight UTC of the same calendar
 * date.
 */
export const Histogram = z
  .object({ buckets: z.array(z.object({ startMs: z.number(), count: z.int(), errors: z.int() })) })
  .meta({ id: 'Histogram' })

/** The data of one server-sent event of the live list. */
export interface TailEvent<Row = z.output<typeof ObservationRow>> {
  readonly rows: readonly Row[]
  /** True if some rows are left out, because more rows arrived than one event can contain. */
  readonly isCut: boolean
  readonly completeUntil: string | null
}
