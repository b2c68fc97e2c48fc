// The records as they are written today. Changing one adds a file to history/ and its line to history.ts; a test says so if forgotten.
import type { AvroRecord } from './schema.ts'

const namespace = 'svc'
const optionalString = ['null', 'string'] as const

const traceAttributesSchema: AvroRecord = {
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
    { name: 'metadata', type: optionalString, default: null, doc: 'JSON text of an object; goes to the root only.' },
  ],
}

const stagedOriginSchema: AvroRecord = {
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

export const spanBatchSchema: AvroRecord = {
  type: 'record',
  name: 'SpanBatch',
  namespace,
  fields: [
    { name: 'projectId', type: 'string' },
    { name: 'apiKey', type: 'string', doc: 'Public key of the credential.' },
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
      doc: 'Filled records only: the staging record with the same payload.',
    },
    {
      name: 'rowBytes',
      type: ['null', 'long'],
      default: null,
      doc: 'Bytes of the rows that the spans become, a resource and scope counted once for each of them; without the fill-in.',
    },
    { name: 'work', type: ['null', 'long'], default: null, doc: 'Units of work that mapping the spans takes; without the fill-in.' },
    { name: 'payload', type: 'bytes', doc: 'ExportTraceServiceRequest. Last, so that it is copied once.' },
  ],
}

export const deadLetterSchema: AvroRecord = {
  type: 'record',
  name: 'DeadLetter',
  namespace,
  fields: [
    { name: 'id', type: 'string', doc: 'topic/partition/offset/index; readers de-duplicate by it.' },
    { name: 'stage', type: 'string' },
    { name: 'reason', type: 'string' },
    { name: 'message', type: 'string' },
    { name: 'projectId', type: optionalString, default: null },
    { name: 'topic', type: 'string' },
    { name: 'partition', type: 'int' },
    { name: 'offset', type: 'long' },
    { name: 'index', type: ['null', 'int'], default: null, doc: 'Span within the record; null when the record itself is bad.' },
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
        symbols: ['name', 'userId', 'sessionId', 'release', 'version', 'environment', 'public'],
      },
    },
    { name: 'root', type: 'boolean' },
    { name: 'explicit', type: 'boolean' },
    { name: 'startNs', type: 'bytes', doc: 'Eight bytes, unsigned, big endian: beyond 2^53.' },
    { name: 'spanId', type: 'bytes' },
    { name: 'value', type: 'string' },
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
    { name: 'fill', type: 'string', doc: 'Hash of the fill-in that the spans were last published with.' },
    { name: 'spans', type: 'long' },
    { name: 'totalSpans', type: 'long' },
    { name: 'rootSeen', type: 'boolean' },
    { name: 'tags', type: { type: 'array', items: 'string' } },
    { name: 'winners', type: { type: 'array', items: traceCandidateSchema } },
    {
      name: 'offsets',
      type: { type: 'array', items: 'long' },
      doc: 'The first counts from firstOffset, each other one from the one before.',
    },
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
    { name: 'destination', type: 'string', default: '', doc: 'Table that the rows went to; empty: they went to a topic.' },
  ],
}
