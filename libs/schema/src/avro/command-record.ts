// The record of a command: see `../command.ts`.
import { namespace, nullableString, writeModeField } from './records.ts'
import type { AvroRecord } from './schema.ts'

export const commandSchema: AvroRecord = {
  type: 'record',
  name: 'Command',
  namespace,
  fields: [
    { name: 'projectId', type: 'string' },
    { name: 'kind', type: 'string', doc: 'A reader passes over a kind that it does not know.' },
    nullableString('traceId'),
    { name: 'value', type: ['null', 'boolean'], default: null, doc: 'New value of the flag.' },
    { name: 'acceptedAtMs', type: 'long' },
    writeModeField,
  ],
}
