// Traceloop (OpenLLMetry): workflows and tasks; its model calls speak the semantic conventions.
import type { Dialect } from '../../rules/dialect.ts'
import { pair } from '../../rules/input-output-rule.ts'
import { spanAttribute } from '../../rules/rules.ts'
import { traceloopKeys } from './keys.ts'

export const traceloop: Dialect = {
  name: 'Traceloop',
  keys: traceloopKeys,
  attributes: { provided_model_name: [[50, spanAttribute('llm.response.model')]] },
  inputOutput: [[130, pair('Traceloop', { input: ['traceloop.entity.input'], output: ['traceloop.entity.output'] })]],
}
