// What kind of observation a span is.
import { type BlockBuilder, LowCardinalityColumn, sourceOf } from '@svc-server/column-store/native'
import { flueTask, flueTool } from '../dialects/flue.ts'
import { genAiToolType, genAiType } from '../dialects/gen-ai.ts'
import { genkitType } from '../dialects/genkit.ts'
import { livekitType } from '../dialects/livekit.ts'
import { openInferenceType } from '../dialects/openinference.ts'
import { oldPythonGeneration, svcType } from '../dialects/svc.ts'
import { vercelAiCall, vercelAiTool } from '../dialects/vercel-ai.ts'
import { firstOf, forColumn, type Rule, whenPresent } from '../rules.ts'
import type { ColumnWriter } from './column-writer.ts'
import { words } from './words.ts'

export const observationTypes = [
  'SPAN',
  'GENERATION',
  'EVENT',
  'EMBEDDING',
  'AGENT',
  'TOOL',
  'CHAIN',
  'RETRIEVER',
  'GUARDRAIL',
  'EVALUATOR',
] as const
export type ObservationType = (typeof observationTypes)[number]

const sdkTypes = words<ObservationType>(Object.fromEntries(observationTypes.map(type => [type.toLowerCase(), type])))

/** A value that a table does not know leaves the decision to the next rule. */
export const typeRules = forColumn<readonly Rule<ObservationType>[]>('type', [
  oldPythonGeneration,
  svcType(sdkTypes),
  openInferenceType,
  genAiType,
  genkitType,
  vercelAiCall,
  vercelAiTool,
  genAiToolType,
  flueTool,
  flueTask,
  livekitType,
  whenPresent(
    'a model is named',
    ['svc.observation.model.name', 'gen_ai.request.model', 'gen_ai.response.model', 'llm.model_name', 'model'],
    'GENERATION',
  ),
])

/** Also says it to the rules that depend on the type. */
export function typeColumn(block: BlockBuilder): ColumnWriter {
  const column = block.column('type', LowCardinalityColumn)
  const texts = new Map(observationTypes.map(type => [type, sourceOf(type)]))
  return (row, span) => {
    span.type = firstOf(typeRules, span) ?? 'SPAN'
    const text = texts.get(span.type)!
    column.text(row, text, 0, text.bytes.length)
  }
}
