// Determines the observation type of a span.
import { type BlockBuilder, LowCardinalityColumn, sourceOf } from '@svc-server/column-store/native'
import { attributesOf, rulesOf } from '../dialects/registry.ts'
import { findFirst, firstOf, forColumn, type Rule } from '../rules/rules.ts'
import { type ObservationType, observationTypes } from '../span-view/observation-type.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { ColumnWriter } from './column-writer.ts'

const modelNames = attributesOf('names_a_model')

const typeRules = forColumn<readonly Rule<ObservationType>[]>('type', [
  ...rulesOf('type'),
  { name: 'a model is named', read: span => (findFirst(span, modelNames) >= 0 ? 'GENERATION' : undefined) },
])

export function readType(span: SpanView): ObservationType {
  span.type = firstOf(typeRules, span) ?? 'SPAN'
  return span.type
}

export function typeColumn(block: BlockBuilder): ColumnWriter {
  const column = block.column('type', LowCardinalityColumn)
  const texts = new Map(observationTypes.map(type => [type, sourceOf(type)]))
  return (row, span) => {
    const text = texts.get(readType(span))!
    column.text(row, text, 0, text.bytes.length)
  }
}
