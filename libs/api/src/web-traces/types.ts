// Types of what the trace view of the web app reads. They are private: no published document has them.
import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'
import { ObservationLevel } from '../shared/types.ts'

const orNull = z.string().nullable()
const numbers = z.array(z.number())
const numbersOrNull = z.array(z.number().nullable())

/** Sums are exact over all observations of the trace, whatever a tree of it shows. Times are microseconds since the epoch. */
export const TraceHead = z.object({
  id: z.string(),
  observations: z.int(),
  errors: z.int(),
  /** Observations without an end. */
  running: z.int(),
  startUs: z.number(),
  endUs: z.number(),
  cost: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  name: orNull,
  userId: orNull,
  sessionId: orNull,
  release: orNull,
  version: orNull,
  environment: orNull,
  tags: z.array(z.string()),
  bookmarked: z.boolean(),
  public: z.boolean(),
})

/** Column by column, in the order of starts; every list has one entry for each row. */
export const TraceColumns = z.object({
  ids: z.array(z.string()),
  /** Number of the parent's row; -1: a root; -2 - n: `missing[n]`. */
  parents: numbers,
  /** These five: numbers in `texts`. */
  names: numbers,
  types: numbers,
  levels: numbers,
  models: numbers,
  messages: numbers,
  /** Numbers in `keySets`. */
  keys: numbers,
  /** Microseconds after the row before; the first one after `trace.startUs`. */
  starts: numbers,
  durations: numbersOrNull,
  firstTokens: numbersOrNull,
  costs: numbersOrNull,
  inputTokens: numbers,
  outputTokens: numbers,
  totalTokens: numbersOrNull,
})

export const TraceTree = z.object({
  trace: TraceHead,
  /** Most rows that a tree has; `trace.observations` counts all of them. */
  maxRows: z.int(),
  texts: z.array(z.string()),
  keySets: z.array(numbers),
  missing: z.array(z.string()),
  columns: TraceColumns,
})

export const TraceMatches = z.object({
  matches: z.array(
    z.object({
      id: z.string(),
      field: z.enum(['input', 'output', 'metadata', 'statusMessage']),
      offset: z.int(),
      excerpt: z.string(),
    }),
  ),
  isCut: z.boolean(),
  maxObservations: z.int(),
})

/** What an observation is, with the first characters of what may be long. */
export const ObservationDetail = z.object({
  id: z.string(),
  traceId: z.string(),
  parentObservationId: orNull,
  name: orNull,
  type: z.string(),
  level: ObservationLevel,
  statusMessage: orNull,
  environment: z.string(),
  startTime: responseTime,
  /** Digits, because microseconds may not fit a number. */
  startUs: z.string(),
  endUs: orNull,
  endTime: responseTime.nullable(),
  completionStartTime: responseTime.nullable(),
  createdAt: responseTime,
  rowVersion: z.string(),
  version: orNull,
  release: orNull,
  userId: orNull,
  sessionId: orNull,
  tags: z.array(z.string()),
  promptId: orNull,
  promptName: orNull,
  promptVersion: z.int().nullable(),
  model: orNull,
  modelId: orNull,
  modelParameters: z.unknown(),
  usageDetails: recordOf(z.number()),
  providedUsageDetails: recordOf(z.number()),
  costDetails: recordOf(z.number()),
  providedCostDetails: recordOf(z.number()),
  usagePricingTierName: orNull,
  toolDefinitions: z.array(z.object({ name: z.string(), definition: z.string() })),
  toolCalls: z.array(z.string()),
  toolCallNames: z.array(z.string()),
  metadata: z.array(z.object({ name: z.string(), text: z.string(), type: z.number(), length: z.number() })),
  metadataCount: z.number(),
  input: z.string(),
  inputLength: z.number(),
  output: z.string(),
  outputLength: z.number(),
  experimentId: orNull,
  experimentName: orNull,
  experimentItemId: orNull,
  experimentDatasetId: orNull,
  expectedOutput: orNull,
  source: z.string(),
  serviceName: orNull,
  serviceVersion: orNull,
  scopeName: orNull,
  scopeVersion: orNull,
  telemetryLanguage: orNull,
  telemetryName: orNull,
  /** Public key; null in a public trace. */
  apiKey: orNull,
  sdkName: orNull,
  sdkVersion: orNull,
  eventBytes: z.number(),
  blobStorageFilePath: orNull,
  /** Characters of `input` and `output` that are here. */
  firstCharacters: z.int(),
  /** Characters of a metadata value that are here. */
  leafCharacters: z.int(),
})

export const TextSlice = z.object({
  text: z.string(),
  offset: z.int(),
  /** Of the whole field, in characters as Unicode counts them. */
  length: z.number(),
  /** Where the next slice begins; null: this was the last one. */
  next: z.int().nullable(),
  /** Slices of one text have one. */
  rowVersion: z.string(),
})

/** Strict: a key that nobody knows is a mistake of the caller. */
export const UpdateTraceRequest = z.strictObject({ bookmarked: z.boolean().optional(), public: z.boolean().optional() })
