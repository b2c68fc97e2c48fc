import { namespace, nullableString, writeModeField } from './records.ts'
import type { AvroRecord } from './schema.ts'

export const commandSchema: AvroRecord = {
  type: 'record',
  name: 'Command',
  namespace,
  fields: [
    { name: 'projectId', type: 'string' },
    { name: 'kind', type: 'string', doc: 'Kind of command. Readers skip commands of an unknown kind.' },
    nullableString('traceId'),
    {
      name: 'value',
      type: ['null', 'boolean'],
      default: null,
      doc: 'New value of the flag that the command sets; null for other commands.',
    },
    { name: 'acceptedAtMs', type: 'long' },
    writeModeField,
  ],
}
