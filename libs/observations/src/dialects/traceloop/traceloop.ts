// Traceloop (OpenLLMetry): workflows and tasks; its model calls speak the semantic conventions.
import { pair } from '../../rules/input-output-rule.ts'

export const traceloopInputOutput = pair('Traceloop', { input: ['traceloop.entity.input'], output: ['traceloop.entity.output'] })
