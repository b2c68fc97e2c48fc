// Traceloop (OpenLLMetry). Workflows and tasks have attributes of their own; model calls use the semantic conventions.
import type { Dialect } from '../../rules/dialect.ts'
import { pair } from '../../rules/input-output-rule.ts'
import { spanAttribute } from '../../rules/rules.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { traceloopKeys } from './keys.ts'
import { functionParts } from './tools.ts'

export const traceloop: Dialect = {
  name: 'Traceloop',
  keys: traceloopKeys,
  vocabulary: { prefixes: [{ prefix: 'llm.request.functions.', flags: keyFlag.tool | keyFlag.toolPart }] },
  attributes: { provided_model_name: [[50, spanAttribute('llm.response.model')]] },
  inputOutput: [[130, pair('Traceloop', { input: ['traceloop.entity.input'], output: ['traceloop.entity.output'] })]],
  tools: [[60, functionParts]],
}
