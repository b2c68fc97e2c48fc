// The experiment that a span belongs to, its item, and their metadata. Spans of no experiment have none of
// these attributes: one test says so.
import { ArrayColumn, type BlockBuilder, NullableNumberColumn, StringColumn } from '@svc-server/column-store/native'
import { attributesOf } from '../dialects/registry.ts'
import { attributeText } from '../rules/attribute-text.ts'
import { type AttributeRule, findFirst, forColumn } from '../rules/rules.ts'
import { microsOfIso } from '../rules/time.ts'
import { emptyValue, forEachElement, readAnyValue, valueKind } from '../span-view/any-value.ts'
import { deadKey } from '../span-view/attribute-store.ts'
import { isJsonObject, jsonText, numberText, parseJson, wireText } from '../span-view/json-text.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { ColumnWriter } from './column-writer.ts'
import { isFlattenable } from './metadata/flatten.ts'
import { OpenedLeaves } from './metadata/opened-leaves.ts'

type Rules = readonly AttributeRule[]

const textColumns = [
  'experiment_id',
  'experiment_name',
  'experiment_description',
  'experiment_dataset_id',
  'experiment_item_id',
  'experiment_item_expected_output',
  'experiment_item_root_span_id',
] as const
const textRules: readonly (readonly [column: string, rules: Rules])[] = textColumns.map(column => [
  column,
  forColumn(column, attributesOf(column)),
])

const versionRules = forColumn('experiment_item_version', attributesOf('experiment_item_version'))

interface MetadataRule {
  readonly column: string
  readonly carrier: Rules
  /** Of keys below the carrier. They win over what it says. */
  readonly flag: number
}

const metadataRules: readonly MetadataRule[] = [
  { column: 'experiment_metadata', carrier: attributesOf('experiment_metadata'), flag: keyFlag.experimentMetadata },
  { column: 'experiment_item_metadata', carrier: attributesOf('experiment_item_metadata'), flag: keyFlag.experimentItemMetadata },
]

export function experimentColumns(block: BlockBuilder): ColumnWriter {
  const texts = textRules.map(([name, rules]) => ({ column: block.column(name, StringColumn), rules }))
  const version = block.column('experiment_item_version', NullableNumberColumn)
  const metadata = metadataRules.map(rule => ({
    rule,
    names: block.column(`${rule.column}_names`, ArrayColumn),
    values: block.column(`${rule.column}_values`, ArrayColumn),
  }))

  return (row, span) => {
    if ((span.attributes.seenFlags & keyFlag.experiment) === 0) return
    for (const { column, rules } of texts) {
      const entry = findFirst(span, rules)
      if (entry >= 0) column.string(row, columnText(span, entry))
    }
    const versionEntry = findFirst(span, versionRules)
    if (versionEntry >= 0) {
      const micros = microsOfIso(attributeText(span, versionEntry))
      if (micros === undefined) span.lose('experiment_version', versionEntry)
      else version.set(row, micros)
    }
    for (const { rule, names, values } of metadata) {
      const leaves = leavesOf(span, rule)
      if (leaves.size === 0) continue
      const nameOut = names.open(row)
      const valueOut = values.open(row)
      for (const [name, value] of leaves) {
        nameOut.string(name)
        valueOut.string(value)
      }
      names.added(leaves.size)
      values.added(leaves.size)
      span.trail?.found(`${rule.column}_names`, rule.column, usedKeys(span, rule))
      span.trail?.found(`${rule.column}_values`, rule.column, usedKeys(span, rule))
    }
  }
}

/** Lists are joined with commas, everything else is its text. */
function columnText(span: SpanView, entry: number): string {
  const value = span.attributes.value(entry)
  if (value.kind !== valueKind.array) return attributeText(span, entry)
  const parts: string[] = []
  const element = emptyValue()
  forEachElement(span.source.bytes, value, (start, end) => {
    readAnyValue(span.source, start, end, element)
    const text = renderText(span.source, element)
    parts.push(wireText(text, 0, text.length))
  })
  return parts.join(',')
}

/**
 * Three shapes: JSON text in the carrier, keys below it with a leaf each, or both, where the keys win by
 * their first name. The leaves have dotted names. What is no object is kept whole: in `attributes`, and under
 * the carrier's own name where there are none.
 */
function leavesOf(span: SpanView, { carrier, flag }: MetadataRule): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>()
  const entry = findFirst(span, carrier)
  if (entry >= 0) {
    const text = attributeText(span, entry)
    const parsed = parseJson(text)
    if ((isJsonObject(parsed) || Array.isArray(parsed)) && isFlattenable(parsed, text.length)) {
      for (const [name, value] of Object.entries(parsed)) addLeaves(leaves, name, value)
    } else span.lose(parsed === undefined ? 'metadata_unreadable' : 'metadata_no_object', entry)
  }
  if ((span.attributes.seenFlags & flag) === 0) return leaves
  const opened = new OpenedLeaves(leaves)
  for (const [name, dotted] of dottedKeys(span, flag)) {
    opened.replace(name)
    const value = dottedValue(span, dotted)
    if (!isJsonObject(value)) addLeaves(leaves, name, value)
    else {
      const own = new Map<string, string>()
      addLeaves(own, name, value)
      for (const [leaf, text] of own) leaves.set(leaf, text)
      opened.add(name, [...own.keys()])
    }
  }
  return leaves
}

/** By name, so that the order in which a client sends them decides nothing. */
function dottedKeys(span: SpanView, flag: number): readonly (readonly [name: string, entry: number])[] {
  const { keys, table, length } = span.attributes
  const found: (readonly [string, number])[] = []
  for (let entry = span.ownFrom; entry < length; entry++) {
    const key = keys[entry]!
    if (key === deadKey || (table.flags(key) & flag) === 0) continue
    found.push([table.nameOf(key).slice(table.prefixLength(key)), entry])
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Objects as JSON text are opened like those of any older SDK; a scalar stays the text that it is. */
function dottedValue(span: SpanView, entry: number): unknown {
  const text = attributeText(span, entry)
  const parsed = /^\s*[{[]/.test(text) ? parseJson(text) : undefined
  return parsed !== undefined && isFlattenable(parsed, text.length) ? parsed : text
}

function addLeaves(leaves: Map<string, string>, name: string, value: unknown): void {
  if (isJsonObject(value)) for (const [key, child] of Object.entries(value)) addLeaves(leaves, `${name}.${key}`, child)
  else leaves.set(name, typeof value === 'string' ? value : value === null ? '' : (numberText(value) ?? jsonText(value) ?? ''))
}

const usedKeys = (span: SpanView, { carrier, flag }: MetadataRule): readonly string[] => [
  ...carrier.filter(({ key }) => span.own.get(key) >= 0).map(({ name }) => name),
  ...dottedKeys(span, flag).map(([, entry]) => span.attributes.table.nameOf(span.attributes.keys[entry]!)),
]
