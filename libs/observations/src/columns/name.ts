// The observation's name.
import { type BlockBuilder, StringColumn } from '@svc-server/column-store/native'
import { attributesOf, rulesOf } from '../dialects/registry.ts'
import { findFirst, forColumn } from '../rules/rules.ts'
import { Content } from '../span-view/content.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

const nameRules = forColumn('name', attributesOf('name'))
const madeNames = rulesOf('names')

export function nameColumn(block: BlockBuilder): ColumnWriter {
  const column = block.column('name', StringColumn)
  const name = new Content()

  return (row, span) => {
    readName(name, span)
    column.text(row, name.source, name.start, name.end)
  }
}

/** A root span's name is also the fallback name of its trace. */
export function readName(into: Content, span: SpanView): void {
  const entry = findFirst(span, nameRules)
  if (entry >= 0) {
    into.attribute(span, entry)
    return
  }
  for (let i = 0; i < madeNames.length; i++) {
    const { name, write } = madeNames[i]!
    span.explanation?.begin()
    if (!write(into, span)) continue
    span.explanation?.foundUsed('name', name)
    return
  }
  span.explanation?.found('name', 'span name')
  into.range(span.source, span.nameStart, span.nameEnd)
}
