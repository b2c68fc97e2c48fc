// What went into an observation and what came out of it: as it stands on the wire where that is one text,
// usually JSON.
import { type BlockBuilder, StringColumn } from '@svc-server/column-store/native'
import { rulesOf } from '../dialects/registry.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

/** The first convention that is taken decides both sides. */
const inputOutputRules = rulesOf('inputOutput')

/** Decides what the span's input and output are; nothing is written yet. */
export function readInputOutput(_row: number, span: SpanView): void {
  span.input.clear()
  span.output.clear()
  const { trail } = span
  for (let i = 0; i < inputOutputRules.length; i++) {
    const { name, read } = inputOutputRules[i]!
    if (trail !== null) trail.begin()
    if (!read(span, inputOutputRules)) continue
    if (trail !== null) trail.foundSides(name, { input: span.input.present, output: span.output.present })
    return
  }
}

export function inputOutputColumns(block: BlockBuilder): ColumnWriter {
  const inputColumn = block.column('input', StringColumn)
  const outputColumn = block.column('output', StringColumn)

  return (row, { input, output }) => {
    if (input.present) inputColumn.text(row, input.source, input.start, input.end)
    if (output.present) outputColumn.text(row, output.source, output.start, output.end)
  }
}
