// The record of SDK usage: see `../sdk-usage.ts`.
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
    { name: 'source', type: 'string', doc: 'Identifies the run of the process that reports the counter.' },
    { name: 'requests', type: 'long', doc: 'Count of that process on that day so far, like the three fields below.' },
    { name: 'spans', type: 'long' },
    { name: 'events', type: 'long' },
    { name: 'scores', type: 'long' },
    { name: 'lastSeenMs', type: 'long' },
  ],
}
