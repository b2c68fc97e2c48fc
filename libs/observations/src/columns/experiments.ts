// Writes the experiment and the experiment item of a span. A span without experiment attributes gets the values of the run item to which it
// belongs (see run-item.ts).
import { ArrayColumn, type BlockBuilder, NullableNumberColumn, StringColumn } from '@svc-server/column-store/native'
import { TextMap } from '@svc-server/json'
import type { RunItemFill } from '@svc-server/schema/run-item-fill'
import { attributesOf } from '../dialects/registry.ts'
import { attributeText } from '../rules/attribute-text.ts'
import { type AttributeRule, findFirst, forColumn } from '../rules/rules.ts'
import { microsOfIso } from '../rules/time.ts'
import { emptyValue, forEachElement, readAnyValue, valueKind } from '../span-view/any-value.ts'
import { isJsonObject, parseJson, wireText } from '../span-view/json-text.ts'
import { renderText } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { ColumnWriter } from './column-writer.ts'
import { isFlattenable } from './metadata/flatten.ts'
import { addLeaves, leavesOfParsed } from './metadata/json-leaves.ts'
import { OpenedLeaves } from './metadata/opened-leaves.ts'
import { runItemCells } from './run-item.ts'

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
const listColumns = [
  'experiment_metadata_names',
  'experiment_metadata_values',
  'experiment_item_metadata_names',
  'experiment_item_metadata_values',
] as const
const textRules: readonly (readonly [column: string, rules: Rules])[] = textColumns.map(column => [
  column,
  forColumn(column, attributesOf(column)),
])

const versionRules = forColumn('experiment_item_version', attributesOf('experiment_item_version'))

interface MetadataRule {
  readonly column: string
  readonly carrier: Rules
  /**
   * `carrier` finds an attribute whose value is JSON text. `flag` marks every key that starts with this attribute's name and a dot. The
   * text after this dot is the name of a member of the JSON text. The value of the marked key overrides that member.
   */
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

  const cells = runItemColumns(block)

  return (row, span) => {
    if ((span.attributes.seenFlags & keyFlag.experiment) === 0) {
      const item = span.context.runItemOf?.(span.index)
      if (item !== undefined) cells(row, span, item)
      return
    }
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
      span.explanation?.found(`${rule.column}_names`, rule.column, usedKeys(span, rule))
      span.explanation?.found(`${rule.column}_values`, rule.column, usedKeys(span, rule))
    }
  }
}

/** Returns a function that writes a run item's values into the row of a span that names no experiment itself. */
function runItemColumns(block: BlockBuilder) {
  const texts = textColumns.map(name => [name, block.column(name, StringColumn)] as const)
  const version = block.column('experiment_item_version', NullableNumberColumn)
  const lists = listColumns.map(name => [name, block.column(name, ArrayColumn)] as const)

  return (row: number, span: SpanView, item: RunItemFill): void => {
    const spanId = hexText(span.source, span.spanId, spanIdBytes)
    const cells = runItemCells(item, spanId)
    for (const [name, column] of texts) {
      if (cells[name] === '') continue
      column.string(row, cells[name])
      span.explanation?.found(name, 'run item of the trace')
    }
    if (cells.experiment_item_version !== null) version.set(row, cells.experiment_item_version)
    for (const [name, column] of lists) {
      const values = cells[name]
      if (values.length === 0) continue
      const out = column.open(row)
      for (const value of values) out.string(value)
      column.added(values.length)
      span.explanation?.found(name, 'run item of the trace')
    }
  }
}

const spanIdBytes = 8
const hexText = ({ bytes }: SpanView['source'], at: number, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('hex')

/** Lists are joined with commas. */
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
 * Metadata arrive as JSON text in one attribute (the carrier), as keys below the carrier's name, or as both. If the carrier and a separate
 * key have a value for the same path, the separate key's value is used. If the carrier's value is not an object or a list, or cannot be
 * flattened, the carrier stays in the row's metadata and counts as a loss.
 */
function leavesOf(span: SpanView, { carrier, flag }: MetadataRule): TextMap<string> {
  let leaves = new TextMap<string>()
  const entry = findFirst(span, carrier)
  if (entry >= 0) {
    const text = attributeText(span, entry)
    const parsed = parseJson(text)
    const found = leavesOfParsed(parsed, text.length)
    if (found === null) span.lose(parsed === undefined ? 'metadata_unreadable' : 'metadata_no_object', entry)
    else leaves = found
  }
  if ((span.attributes.seenFlags & flag) === 0) return leaves
  const opened = new OpenedLeaves(leaves)
  for (const [name, dotted] of dottedKeys(span, flag)) {
    opened.replace(name)
    const value = dottedValue(span, dotted)
    if (!isJsonObject(value)) addLeaves(leaves, name, value)
    else {
      const own = new TextMap<string>()
      addLeaves(own, name, value)
      for (const [leaf, text] of own) leaves.set(leaf, text)
      opened.add(name, own.keys())
    }
  }
  return leaves
}

/** The keys are sorted, so that the order in which the client sent them has no effect. */
function dottedKeys(span: SpanView, flag: number): readonly (readonly [name: string, entry: number])[] {
  const { keys, flags, table, length } = span.attributes
  const found: (readonly [string, number])[] = []
  for (let entry = span.ownFrom; entry < length; entry++) {
    if ((flags[entry]! & flag) === 0) continue
    const key = keys[entry]!
    found.push([table.nameOf(key).slice(table.prefixLength(key)), entry])
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** If the text is a JSON object or list within the limits, returns the parsed value, as for older SDKs. Otherwise returns the text. */
function dottedValue(span: SpanView, entry: number): unknown {
  const text = attributeText(span, entry)
  const parsed = /^\s*[{[]/.test(text) ? parseJson(text) : undefined
  return parsed !== undefined && isFlattenable(parsed, text.length) ? parsed : text
}

const usedKeys = (span: SpanView, { carrier, flag }: MetadataRule): readonly string[] => [
  ...carrier.filter(({ key }) => span.own.get(key) >= 0).map(({ name }) => name),
  ...dottedKeys(span, flag).map(([, entry]) => span.attributes.table.nameOf(span.attributes.keys[entry]!)),
]
