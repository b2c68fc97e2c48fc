// The record of a merged entity. It is a state, and rows are also made from it.
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
    { name: 'versionMs', type: 'long', doc: 'Grows with every publication of the entity; 0: a part of one, to be joined with the rest.' },
    {
      name: 'sources',
      type: listOf('EntitySource', [
        { name: 'atUs', type: 'long' },
        { name: 'update', type: 'boolean' },
        { name: 'id', type: 'string' },
        { name: 'hash', type: 'string' },
      ]),
      doc: 'The events that still decide something, by their place in the order of events.',
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
      doc: 'Metadata; values are JSON texts.',
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
      doc: 'Keys under which the entity was stored before; tombstones replace those rows.',
    },
    { name: 'traceAttributes', type: ['null', traceAttributesSchema], default: null, doc: 'The propagator’s fill-in, on spans.filled.' },
    { name: 'rootSpanId', type: optionalString, default: null, doc: 'The span without a parent in the trace; known after the fill-in.' },
    { name: 'staged', type: ['null', stagedOriginSchema], default: null },
    {
      name: 'runItem',
      type: ['null', runItemFillSchema],
      default: null,
      doc: 'Item of a dataset’s run that it belongs to; with the fill-in.',
    },
  ],
}

const countedOf = (name: string) => listOf(name, [])

/**
 * The part of the record that determines how the record is processed and what the processing costs. If a reader only counts the items of a
 * list, its schema declares items without fields. Never written.
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
