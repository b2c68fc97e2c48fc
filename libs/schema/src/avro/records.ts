// The records as they are written today. Changing one adds a file to history/ and its line to history.ts; a test says so if forgotten.
import type { AvroRecord } from './schema.ts'

const namespace = 'svc'
const optionalString = ['null', 'string'] as const

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
    { name: 'metadata', type: optionalString, default: null, doc: 'JSON text of an object; goes to the root only.' },
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
