// What kind of observation a span is.
import { type BlockBuilder, LowCardinalityColumn, sourceOf } from '@svc-server/column-store/native'
import { flueTask, flueTool } from '../dialects/flue/flue.ts'
import { genAiToolType, genAiType } from '../dialects/gen-ai/gen-ai.ts'
import { genkitType } from '../dialects/genkit/genkit.ts'
import { livekitType } from '../dialects/livekit/livekit.ts'
import { openInferenceType } from '../dialects/openinference/openinference.ts'
import { oldPythonGeneration, svcType } from '../dialects/svc/svc.ts'
import { vercelAiCall, vercelAiTool } from '../dialects/vercel-ai/vercel-ai.ts'
import { firstOf, forColumn, type Rule, whenPresent } from '../rules/rules.ts'
import { words } from '../rules/words.ts'
import { type ObservationType, observationTypes } from '../span-view/observation-type.ts'
import type { ColumnWriter } from './column-writer.ts'

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
