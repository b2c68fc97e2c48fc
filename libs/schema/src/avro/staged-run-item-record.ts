import { namespace, nullableString, optionalString, writeModeField } from './records.ts'
import type { AvroRecord } from './schema.ts'

export const stagedRunItemSchema: AvroRecord = {
  type: 'record',
  name: 'StagedRunItem',
  namespace,
  fields: [
    { name: 'projectId', type: 'string' },
    writeModeField,
    { name: 'id', type: 'string', doc: 'Id of the run item. A later record with the same id replaces the run item.' },
    {
      name: 'rootId',
      type: optionalString,
      default: null,
      doc: 'Id of the observation that the run item belongs to. If the id is null, the run item belongs to the whole trace.',
    },
    { name: 'createdAtMs', type: 'long' },
    { name: 'runId', type: 'string' },
    { name: 'runName', type: 'string' },
    { name: 'datasetId', type: 'string' },
    { name: 'itemId', type: 'string', doc: 'Id of the dataset item.' },
    { name: 'itemVersionMs', type: ['null', 'long'], default: null },
    nullableString('runDescription'),
    { name: 'runMetadata', type: optionalString, default: null, doc: 'JSON text, as are the next two fields.' },
    nullableString('expectedOutput'),
    nullableString('itemMetadata'),
    { name: 'cut', type: 'int', doc: 'Number of texts, such as the expected output, that were left out because they were too large.' },
  ],
}
