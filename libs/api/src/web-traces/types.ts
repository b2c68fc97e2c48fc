// Response types of the web app's trace view. No published document contains them.
import { z } from 'zod'
import { recordOf, responseTime } from '../fields/fields.ts'
import { ObservationLevel } from '../shared/types.ts'

const orNull = z.string().nullable()
const numbers = z.array(z.number())
const numbersOrNull = z.array(z.number().nullable())

/** The sums cover all observations of the trace, even those that are not in the tree. Times are microseconds since the epoch. */
export const TraceHead = z.object({
  id: z.string(),
  observations: z.int(),
  errors: z.int(),
  /** Number of observations without an end time. */
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

/** The rows of a trace as columns, ordered by start time. Every list has one entry per row. */
export const TraceColumns = z.object({
  ids: z.array(z.string()),
  /** For each row, the row number of its parent. -1 stands for a root, and -2 - n stands for the missing parent `missing[n]`. */
  parents: numbers,
  /** `names` and the next four lists contain indexes into `texts`. */
  names: numbers,
  types: numbers,
  levels: numbers,
  models: numbers,
  messages: numbers,
  /** For each row, an index into `keySets`. */
  keys: numbers,
  /** For each row, the microseconds since the start of the previous row; for the first row, the microseconds since `trace.startUs`. */
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
  /** Maximum number of rows in a tree. `trace.observations` is the number of all observations in the trace. */
  maxRows: z.int(),
  texts: z.array(z.string()),
  keySets: z.array(numbers),
  missing: z.array(z.string()),
  columns: TraceColumns,
  /** Sums over descendants that are not in the tree. `rows` contains the indexes of the rows that have such descendants. */
  hidden: z.object({ rows: numbers, observations: numbers, costs: numbers, tokens: numbers, errors: numbers }),
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

/** One observation. Only the first characters of long fields are included. */
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
  /** A string of digits, because a number of microseconds can exceed the safe integers. */
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
  /** Public key of the API key. It is null if a public trace is read without a session. */
  apiKey: orNull,
  sdkName: orNull,
  sdkVersion: orNull,
  eventBytes: z.number(),
  blobStorageFilePath: orNull,
  /** The response contains at most this number of characters from the beginning of `input`, and at most as many of `output`. */
  firstCharacters: z.int(),
  /** The response contains at most this number of characters from the beginning of a metadata value. */
  leafCharacters: z.int(),
})

export const TextSlice = z.object({
  text: z.string(),
  offset: z.int(),
  /** Length of the whole text in Unicode characters. */
  length: z.number(),
  /** Offset of the next slice, or null if this is the last slice. */
  next: z.int().nullable(),
  /** All slices of one text have the same row version. */
  rowVersion: z.string(),
})

/** Unknown keys are rejected, because they are mistakes by the caller. */
export const UpdateTraceRequest = z.strictObject({ bookmarked: z.boolean().optional(), public: z.boolean().optional() })
