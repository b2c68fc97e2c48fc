import { namespace } from './records.ts'
import type { AvroRecord } from './schema.ts'

export const sdkUsageSchema: AvroRecord = {
  type: 'record',
  name: 'SdkUsage',
  namespace,
  fields: [
    { name: 'projectId', type: 'string' },
    { name: 'day', type: 'int', doc: 'Days since the epoch, UTC.' },
    { name: 'sdkName', type: 'string' },
    { name: 'sdkVersion', type: 'string' },
    { name: 'path', type: 'string' },
    { name: 'source', type: 'string', doc: 'Id of the process that counted the requests. Each start of a process has a different id.' },
    {
      name: 'requests',
      type: 'long',
      doc: 'Requests that the process has counted on this day so far.',
    },
    { name: 'spans', type: 'long' },
    { name: 'events', type: 'long' },
    { name: 'scores', type: 'long' },
    { name: 'lastSeenMs', type: 'long' },
  ],
}
