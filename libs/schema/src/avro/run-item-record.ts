import { acceptedFields, namespace, nullableString, optionalString } from './records.ts'
import type { AvroRecord } from './schema.ts'

export const runItemSchema: AvroRecord = {
  type: 'record',
  name: 'RunItem',
  namespace,
  fields: [
    ...acceptedFields,
    { name: 'deleted', type: 'boolean' },
    { name: 'id', type: 'string' },
    { name: 'datasetId', type: 'string' },
    { name: 'datasetRunId', type: 'string' },
    { name: 'datasetRunName', type: 'string' },
    nullableString('datasetRunDescription'),
    { name: 'datasetRunMetadata', type: optionalString, default: null, doc: 'JSON text.' },
    { name: 'datasetRunCreatedAtMs', type: 'long' },
    { name: 'datasetItemId', type: 'string' },
    {
      name: 'datasetItemVersionMs',
      type: ['null', 'long'],
      default: null,
      doc: 'The run used one version of the dataset item. This field is the time of this version.',
    },
    { name: 'datasetItemInput', type: optionalString, default: null, doc: 'JSON text, as are the next two fields.' },
    nullableString('datasetItemExpectedOutput'),
    nullableString('datasetItemMetadata'),
    { name: 'traceId', type: 'string' },
    nullableString('observationId'),
    nullableString('error'),
    { name: 'createdAtMs', type: 'long' },
  ],
}
