import { declareKeys } from '../../span-view/keys.ts'

export const flueKeys = declareKeys({
  content: [
    'flue.turn.input',
    'flue.tool.arguments',
    'flue.task.prompt',
    'flue.workflow.payload',
    'flue.turn.output',
    'flue.tool.result',
    'flue.task.result',
    'flue.operation.result',
    'flue.workflow.result',
  ],
  kept: ['flue.tool.name', 'flue.tool.call_id', 'flue.task.id', 'flue.task.agent'],
})
