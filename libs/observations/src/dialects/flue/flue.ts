// Flue: turns, tools, tasks, workflows, each with its own names.

import { pair, scopeIs } from '../../rules/input-output-rule.ts'
import { whenPresent } from '../../rules/rules.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'

export const flueTool = whenPresent<ObservationType>('a Flue tool is named', ['flue.tool.name', 'flue.tool.call_id'], 'TOOL')
export const flueTask = whenPresent<ObservationType>('a Flue task is named', ['flue.task.id', 'flue.task.agent'], 'AGENT')

export const flueInputOutput = pair('Flue', {
  when: scopeIs('@flue/opentelemetry'),
  input: ['flue.turn.input', 'flue.tool.arguments', 'flue.task.prompt', 'flue.workflow.payload'],
  output: ['flue.turn.output', 'flue.tool.result', 'flue.task.result', 'flue.operation.result', 'flue.workflow.result'],
  accepts: 'set',
  emptyCounts: true,
})
