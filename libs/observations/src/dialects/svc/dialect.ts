// The product's own SDKs.
import type { Dialect } from '../../rules/dialect.ts'
import { pair } from '../../rules/input-output-rule.ts'
import { parametersIn } from '../../rules/model-parameters.ts'
import { numberText } from '../../span-view/json-text.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { costDetails, usageDetails } from './amounts.ts'
import { svcAttributes } from './attributes.ts'
import { saidStart } from './completion-start.ts'
import { svcKeys } from './keys.ts'
import { saidLevel } from './level.ts'
import { oldPythonGeneration, saidType } from './type.ts'

/** Returns `given` if it is an object, a list, or a nonzero number. Returns undefined for any other value. */
const sdkParameters = (given: unknown): unknown => {
  const digits = numberText(given)
  if (digits !== undefined) return Number(digits) === 0 ? undefined : given
  return typeof given === 'object' && given !== null ? given : undefined
}

export const svc: Dialect = {
  name: 'svc SDK',
  keys: svcKeys,
  vocabulary: {
    prefixes: [
      { prefix: 'svc.observation.metadata.', flags: keyFlag.leaves | keyFlag.observationMetadata },
      { prefix: 'svc.trace.metadata.', flags: keyFlag.leaves | keyFlag.traceMetadata },
      { prefix: 'svc.metadata.', flags: keyFlag.observationMetadata | keyFlag.traceMetadata },
      { prefix: 'svc.experiment.metadata.', flags: keyFlag.experiment | keyFlag.experimentMetadata },
      { prefix: 'svc.experiment.item.metadata.', flags: keyFlag.experiment | keyFlag.experimentItemMetadata },
      { prefix: 'svc.experiment.', flags: keyFlag.experiment },
    ],
  },
  attributes: svcAttributes,
  type: [
    [10, oldPythonGeneration],
    [20, saidType],
  ],
  // An empty text counts as a value.
  inputOutput: [
    [10, pair('svc SDK', { input: ['svc.observation.input'], output: ['svc.observation.output'], accepts: 'set', emptyCounts: true })],
  ],
  level: [[10, saidLevel]],
  modelParameters: [[20, parametersIn('svc.observation.model.parameters', sdkParameters)]],
  completionStart: [[10, saidStart]],
  usage: [[10, usageDetails]],
  cost: [[10, costDetails]],
}
