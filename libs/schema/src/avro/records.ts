// The current schemas of the records. To change a schema, add a file to `history/`, and list it in `history.ts`. A test enforces this.
import { writeModes } from '@svc-server/modes/write-mode'
import type { AvroRecord } from './schema.ts'

export const namespace = 'svc'
export const optionalString = ['null', 'string'] as const

export const nullableString = (name: string) => ({ name, type: optionalString, default: null })
const writeModeEnum = { type: 'enum', name: 'WriteMode', symbols: writeModes } as const
/** If the mode is absent or null, the consumer's own mode applies. */
export const writeModeField = {
  name: 'writeMode',
  type: ['null', writeModeEnum],
  default: null,
  doc: 'Write mode of the process that accepted the record. If the mode is null, the write mode of the reader applies.',
} as const

export const traceAttributesSchema: AvroRecord = {
  type: 'record',
  name: 'TraceAttributes',
  namespace,
  fields: [
    { name: 'name', type: optionalString, default: null },
    { name: 'userId', type: optionalString, default: null },
    { name: 'sessionId', type: optionalString, default: null },
    { name: 'tags', type: ['null', { type: 'array', items: 'string' }], default: null },
    { name: 'release', type: optionalString, default: null },
    { name: 'version', type: optionalString, default: null },
    { name: 'environment', type: optionalString, default: null },
    { name: 'public', type: ['null', 'boolean'], default: null },
    {
      name: 'metadata',
      type: optionalString,
      default: null,
      doc: 'JSON text of an object. The metadata is stored only on the root observation.',
    },
  ],
}

export const stagedOriginSchema: AvroRecord = {
  type: 'record',
  name: 'StagedOrigin',
  namespace,
  fields: [
    { name: 'partition', type: 'int' },
    { name: 'offset', type: 'long' },
    { name: 'timestampMs', type: 'long' },
    { name: 'generation', type: 'int' },
  ],
}

/** A run item to which the entity or spans of a record belong. Only records of spans.filled contain a `RunItemFill`. */
export const runItemFillSchema: AvroRecord = {
  type: 'record',
  name: 'RunItemFill',
  namespace,
  fields: [
    { name: 'runId', type: 'string' },
    { name: 'runName', type: 'string' },
    { name: 'datasetId', type: 'string' },
    { name: 'itemId', type: 'string' },
    { name: 'itemVersionMs', type: ['null', 'long'], default: null },
    { name: 'rootSpanId', type: 'string' },
    nullableString('runDescription'),
    nullableString('runMetadata'),
    nullableString('expectedOutput'),
    nullableString('itemMetadata'),
    {
      name: 'spans',
      type: ['null', { type: 'array', items: 'int' }],
      default: null,
      doc: 'Indexes of the spans in the record. Null stands for all spans of the record.',
    },
  ],
}

export const spanBatchSchema: AvroRecord = {
  type: 'record',
  name: 'SpanBatch',
  namespace,
  fields: [
    { name: 'projectId', type: 'string' },
    { name: 'apiKey', type: 'string', doc: 'Public key of the key pair that authenticated the request.' },
    { name: 'sdkName', type: 'string' },
    { name: 'sdkVersion', type: 'string' },
    { name: 'ingestionVersion', type: ['null', 'int'], default: null },
    { name: 'receivedAtMs', type: 'long' },
    { name: 'ingestId', type: 'string' },
    { name: 'contentEncoding', type: { type: 'enum', name: 'ContentEncoding', symbols: ['identity', 'gzip', 'zstd'] } },
    { name: 'decodedBytes', type: 'long' },
    { name: 'spanCount', type: 'int' },
    { name: 'traceAttributes', type: ['null', traceAttributesSchema], default: null },
    {
      name: 'staged',
      type: ['null', stagedOriginSchema],
      default: null,
      doc: 'Position of the staging record with the same payload. Only in filled records.',
    },
    {
      name: 'rowBytes',
      type: ['null', 'long'],
      default: null,
      doc: 'Bytes of the rows that the spans become, without the filled-in attributes. The resource and scope are counted for each span.',
    },
    {
      name: 'work',
      type: ['null', 'long'],
      default: null,
      doc: 'Units of work that the mapping of the spans takes, without the filled-in attributes.',
    },
    writeModeField,
    {
      name: 'runItems',
      type: ['null', { type: 'array', items: runItemFillSchema }],
      default: null,
      doc: 'The run items to which spans of the record belong. Only in filled records.',
    },
    {
      name: 'payload',
      type: 'bytes',
      doc: 'ExportTraceServiceRequest. Must be the last field, so that encoding copies the payload only once.',
    },
  ],
}

export const deadLetterSchema: AvroRecord = {
  type: 'record',
  name: 'DeadLetter',
  namespace,
  fields: [
    { name: 'id', type: 'string', doc: 'topic/partition/offset/index. Readers remove duplicates by this id.' },
    { name: 'stage', type: 'string' },
    { name: 'reason', type: 'string' },
    { name: 'message', type: 'string' },
    { name: 'projectId', type: optionalString, default: null },
    { name: 'topic', type: 'string' },
    { name: 'partition', type: 'int' },
    { name: 'offset', type: 'long' },
    {
      name: 'index',
      type: ['null', 'int'],
      default: null,
      doc: 'Index of the span in the record. If the index is null, the whole record is dead-lettered.',
    },
    { name: 'atMs', type: 'long' },
    { name: 'raw', type: 'bytes' },
  ],
}

const traceCandidateSchema: AvroRecord = {
  type: 'record',
  name: 'TraceCandidate',
  namespace,
  fields: [
    {
      name: 'field',
      type: {
        type: 'enum',
        name: 'TraceField',
        symbols: ['name', 'userId', 'sessionId', 'release', 'version', 'environment', 'public', 'rootSpanId'],
      },
    },
    { name: 'root', type: 'boolean' },
    { name: 'explicit', type: 'boolean' },
    {
      name: 'startNs',
      type: 'bytes',
      doc: 'Unsigned number of eight bytes, big-endian. Not a long, because the codec reads a long as a JavaScript number, which is exact only up to 2^53, and the value is larger.',
    },
    { name: 'spanId', type: 'bytes' },
    { name: 'value', type: 'string' },
  ],
}

const traceWindowItemSchema: AvroRecord = {
  type: 'record',
  name: 'TraceWindowItem',
  namespace,
  fields: [
    { name: 'id', type: 'string' },
    { name: 'rootId', type: optionalString, default: null },
    { name: 'createdAtMs', type: 'long' },
    { name: 'offset', type: 'long', doc: 'Offset of the staged record that contains the run item.' },
  ],
}

export const traceWindowSchema: AvroRecord = {
  type: 'record',
  name: 'TraceWindow',
  namespace,
  fields: [
    { name: 'firstOffset', type: 'long' },
    { name: 'lastOffset', type: 'long' },
    { name: 'endMs', type: 'long' },
    { name: 'generation', type: 'int' },
    { name: 'fill', type: 'string', doc: 'Hash of the trace attributes with which the spans were last published.' },
    { name: 'spans', type: 'long' },
    { name: 'totalSpans', type: 'long' },
    { name: 'rootSeen', type: 'boolean' },
    { name: 'tags', type: { type: 'array', items: 'string' } },
    { name: 'winners', type: { type: 'array', items: traceCandidateSchema } },
    {
      name: 'offsets',
      type: { type: 'array', items: 'long' },
      doc: 'Offsets as differences: the first is relative to firstOffset, each further one to the previous offset.',
    },
    {
      name: 'items',
      type: { type: 'array', items: traceWindowItemSchema },
      default: [],
      doc: 'The trace’s run items from this window and all earlier windows, sorted by id.',
    },
    {
      name: 'assignedAt',
      type: ['null', 'long'],
      default: null,
      doc: 'First offset of the window that was the newest window of the trace when the spans were last assigned to run items. Null if they were never assigned.',
    },
  ],
}

const partOf = (record: AvroRecord, ...names: readonly string[]): AvroRecord => ({
  ...record,
  fields: record.fields.filter(({ name }) => names.includes(name)),
})

/** The fields that describe the window's end. */
export const traceWindowEndSchema: AvroRecord = {
  ...traceWindowSchema,
  fields: [
    ...partOf(traceWindowSchema, 'endMs', 'fill').fields,
    { name: 'winners', type: { type: 'array', items: partOf(traceCandidateSchema, 'startNs', 'spanId') } },
  ],
}

export const ledgerRecordSchema: AvroRecord = {
  type: 'record',
  name: 'LedgerRecord',
  namespace,
  fields: [
    { name: 'group', type: 'string' },
    { name: 'topic', type: 'string' },
    { name: 'partition', type: 'int' },
    { name: 'first', type: 'long' },
    { name: 'last', type: 'long' },
    { name: 'records', type: 'long' },
    { name: 'spans', type: 'long' },
    { name: 'rows', type: 'long' },
    { name: 'deadLettered', type: 'long' },
    { name: 'denied', type: 'long' },
    {
      name: 'versions',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'NamedVersion',
          namespace,
          fields: [
            { name: 'name', type: 'string' },
            { name: 'version', type: 'string' },
          ],
        },
      },
    },
    {
      name: 'destination',
      type: 'string',
      default: '',
      doc: 'Table into which the rows were inserted. The name is empty if the rows went to a topic.',
    },
  ],
}

export const acceptedFields = [
  { name: 'projectId', type: 'string' },
  { name: 'apiKey', type: 'string', doc: 'Public key of the key pair that authenticated the request.' },
  { name: 'sdkName', type: 'string' },
  { name: 'sdkVersion', type: 'string' },
  writeModeField,
  { name: 'receivedAtMs', type: 'long' },
  { name: 'ingestId', type: 'string' },
] as const

export const entityTypeEnum = { type: 'enum', name: 'EntityType', symbols: ['trace', 'observation'] } as const

export const ingestionEventSchema: AvroRecord = {
  type: 'record',
  name: 'IngestionEvent',
  namespace,
  fields: [
    ...acceptedFields,
    { name: 'entityType', type: entityTypeEnum },
    { name: 'entityId', type: 'string' },
    { name: 'eventType', type: 'string', doc: 'Type as the client sent it, such as trace-create or span-update.' },
    { name: 'eventId', type: 'string', doc: 'Id in the event’s envelope, which a client repeats when it sends the event again.' },
    { name: 'timestampUs', type: 'long', doc: 'Timestamp in the event’s envelope.' },
    {
      name: 'body',
      type: 'bytes',
      doc: 'JSON text of the validated body. Must be the last field, so that encoding copies the body only once.',
    },
  ],
}

export const scoreEventSchema: AvroRecord = {
  type: 'record',
  name: 'ScoreEvent',
  namespace,
  fields: [
    ...acceptedFields,
    { name: 'deleted', type: 'boolean' },
    { name: 'id', type: 'string' },
    { name: 'name', type: 'string' },
    { name: 'source', type: 'string' },
    { name: 'dataType', type: 'string' },
    { name: 'value', type: 'double' },
    nullableString('stringValue'),
    { name: 'longStringValue', type: 'string' },
    { name: 'timestampUs', type: 'long' },
    nullableString('traceId'),
    nullableString('observationId'),
    nullableString('sessionId'),
    nullableString('datasetRunId'),
    { name: 'environment', type: 'string' },
    nullableString('comment'),
    { name: 'metadata', type: optionalString, default: null, doc: 'JSON text as the client sent it.' },
    nullableString('configId'),
    nullableString('queueId'),
    nullableString('authorUserId'),
    nullableString('executionTraceId'),
  ],
}
