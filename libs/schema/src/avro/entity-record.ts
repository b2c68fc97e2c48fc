// The record of a merged entity: its state, from which its rows are created.
import {
  entityTypeEnum,
  namespace,
  optionalString,
  runItemFillSchema,
  stagedOriginSchema,
  traceAttributesSchema,
  writeModeField,
} from './records.ts'
import type { AvroRecord } from './schema.ts'

const listOf = (name: string, fields: AvroRecord['fields']) =>
  ({ type: 'array', items: { type: 'record', name, namespace, fields } }) as const

export const entitySchema: AvroRecord = {
  type: 'record',
  name: 'Entity',
  namespace,
  fields: [
    { name: 'projectId', type: 'string' },
    { name: 'entityType', type: entityTypeEnum },
    { name: 'entityId', type: 'string' },
    writeModeField,
    {
      name: 'versionMs',
      type: 'long',
      doc: 'Version of the entity, which grows with every publication. Version 0 marks a record that contains only a part of the entity.',
    },
    {
      name: 'sources',
      type: listOf('EntitySource', [
        { name: 'atUs', type: 'long' },
        { name: 'update', type: 'boolean' },
        { name: 'id', type: 'string' },
        { name: 'hash', type: 'string' },
      ]),
      doc: 'Events that determine at least one value of the entity, each with its position in the order of events. Fields refer to an event by its index in this list.',
    },
    {
      name: 'fields',
      type: listOf('EntityField', [
        { name: 'name', type: 'string' },
        { name: 'source', type: 'int' },
        { name: 'value', type: optionalString },
      ]),
    },
    {
      name: 'leaves',
      type: listOf('EntityLeaf', [
        { name: 'path', type: { type: 'array', items: 'string' } },
        { name: 'source', type: 'int' },
        { name: 'value', type: 'string' },
      ]),
      doc: 'Leaves of the metadata. Values are JSON texts.',
    },
    { name: 'tags', type: { type: 'array', items: 'string' } },
    { name: 'firstMs', type: ['null', 'long'], default: null },
    { name: 'createdMs', type: ['null', 'long'], default: null },
    { name: 'legacy', type: 'boolean' },
    { name: 'legacyChild', type: 'boolean' },
    {
      name: 'root',
      type: [
        'null',
        {
          type: 'record',
          name: 'EntityRoot',
          namespace,
          fields: [
            { name: 'startUs', type: 'long' },
            { name: 'spanId', type: 'string' },
          ],
        },
      ],
      default: null,
    },
    {
      name: 'retired',
      type: listOf('RetiredKey', [
        { name: 'startMs', type: 'long' },
        { name: 'type', type: 'string' },
        { name: 'traceId', type: 'string' },
      ]),
      doc: 'Keys under which earlier versions of the entity were stored. The rows under these former keys are overwritten with tombstones.',
    },
    {
      name: 'traceAttributes',
      type: ['null', traceAttributesSchema],
      default: null,
      doc: 'Trace attributes that the propagator filled in; only in records of spans.filled.',
    },
    {
      name: 'rootSpanId',
      type: optionalString,
      default: null,
      doc: 'The id of the trace’s root span, which has no parent. Null until the propagator has filled the record.',
    },
    { name: 'staged', type: ['null', stagedOriginSchema], default: null },
    {
      name: 'runItem',
      type: ['null', runItemFillSchema],
      default: null,
      doc: 'Run item (of a dataset run) to which the entity belongs. Null until the propagator has filled the record.',
    },
  ],
}

const countedOf = (name: string) => listOf(name, [])

/**
 * With this schema, a reader decodes only the fields that determine the cost of processing the record. The items of lists have no fields,
 * because only their number matters.
 */
export const entityHeadSchema: AvroRecord = {
  ...entitySchema,
  fields: [
    { name: 'projectId', type: 'string' },
    { name: 'entityType', type: entityTypeEnum },
    { name: 'entityId', type: 'string' },
    writeModeField,
    { name: 'versionMs', type: 'long' },
    { name: 'sources', type: countedOf('EntitySource') },
    { name: 'leaves', type: countedOf('EntityLeaf') },
    { name: 'retired', type: countedOf('RetiredKey') },
    { name: 'staged', type: ['null', stagedOriginSchema], default: null },
  ],
}
