// Writes input and output. If one text attribute is the whole value, its bytes are copied from the request.
import { type BlockBuilder, StringColumn } from '@svc-server/column-store/native'
import { rulesOf } from '../dialects/registry.ts'
import { Content } from '../span-view/content.ts'
import { wireText } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { ColumnWriter } from './column-writer.ts'

/** The first rule that matches supplies both input and output. */
const inputOutputRules = rulesOf('inputOutput')

/**
 * Finds the input and the output of the span, and keeps them in `span.input` and `span.output`. Later, the column writer that
 * `inputOutputColumns` returns writes both to the row.
 */
export function readInputOutput(_row: number, span: SpanView): void {
  span.input.clear()
  span.output.clear()
  span.eventTools = false
  const { explanation } = span
  for (let i = 0; i < inputOutputRules.length; i++) {
    const { name, read } = inputOutputRules[i]!
    if (explanation !== null) explanation.begin()
    if (!read(span, inputOutputRules)) continue
    if (explanation !== null) explanation.foundSides(name, { input: span.input.present, output: span.output.present })
    if ((isMissing(span.input) || isMissing(span.output)) && mayHoldMore(span)) readOther(span, i + 1)
    return
  }
}

/** True if there is no content, or only `{}` or `null`. An empty text is content if a rule has accepted it. */
function isMissing({ present, source, start, end }: Content): boolean {
  if (!present) return true
  const length = end - start
  if (length === 2) return source.bytes[start] === 0x7b && source.bytes[start + 1] === 0x7d
  return length === 4 && source.bytes[start] === 0x6e && wireText(source, start, end) === 'null'
}

/** True if the span has content that is neither in the input nor in the output yet. Other rules could find it. */
const mayHoldMore = ({ attributes, events, input, output }: SpanView): boolean =>
  events.length > 0 ||
  (attributes.seenFlags & keyFlag.documentPart) !== 0 ||
  attributes.contentCount > (isMissing(input) ? 0 : 1) + (isMissing(output) ? 0 : 1)

const sides = ['input', 'output'] as const
const kept = { input: new Content(), output: new Content() }

/** If a rule supplies only the input or only the output, later rules supply the other side. */
function readOther(span: SpanView, from: number): void {
  const { explanation } = span
  for (const side of sides) kept[side].take(span[side])
  for (let i = from; i < inputOutputRules.length && (isMissing(kept.input) || isMissing(kept.output)); i++) {
    const { name, read } = inputOutputRules[i]!
    if (explanation !== null) explanation.begin()
    span.input.clear()
    span.output.clear()
    if (!read(span, inputOutputRules)) continue
    const taken = { input: false, output: false }
    for (const side of sides) {
      if (!isMissing(kept[side]) || isMissing(span[side])) continue
      kept[side].take(span[side])
      taken[side] = true
    }
    if (explanation !== null) explanation.foundSides(name, taken)
  }
  for (const side of sides) span[side].take(kept[side])
}

export function inputOutputColumns(block: BlockBuilder): ColumnWriter {
  const inputColumn = block.column('input', StringColumn)
  const outputColumn = block.column('output', StringColumn)

  return (row, { input, output }) => {
    if (input.present) inputColumn.text(row, input.source, input.start, input.end)
    if (output.present) outputColumn.text(row, output.source, output.start, output.end)
  }
}
