// Flue has its own names for turns, tools, tasks, and workflows.
import type { Dialect } from '../../rules/dialect.ts'
import { pair, scopeIs } from '../../rules/input-output-rule.ts'
import { whenPresent } from '../../rules/rules.ts'
import { flueKeys } from './keys.ts'

export const flue: Dialect = {
  name: 'Flue',
  keys: flueKeys,
  type: [
    [90, whenPresent('a Flue tool is named', ['flue.tool.name', 'flue.tool.call_id'], 'TOOL')],
    [100, whenPresent('a Flue task is named', ['flue.task.id', 'flue.task.agent'], 'AGENT')],
  ],
  inputOutput: [
    [
      40,
      pair('Flue', {
        when: scopeIs('@flue/opentelemetry'),
        input: ['flue.turn.input', 'flue.tool.arguments', 'flue.task.prompt', 'flue.workflow.payload'],
        output: ['flue.turn.output', 'flue.tool.result', 'flue.task.result', 'flue.operation.result', 'flue.workflow.result'],
        accepts: 'set',
        emptyCounts: true,
      }),
    ],
  ],
}
