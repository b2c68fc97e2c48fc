// MLflow.
import type { Dialect } from '../../rules/dialect.ts'
import { pair } from '../../rules/input-output-rule.ts'
import { spanAttribute } from '../../rules/rules.ts'
import { toolAttribute } from '../../rules/tool-source.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { mlflowKeys } from './keys.ts'
import { mlflowCost, mlflowUsage } from './usage.ts'

export const mlflow: Dialect = {
  name: 'MLflow',
  keys: mlflowKeys,
  vocabulary: { also: [{ pattern: /^mlflow\.chat\.tools$/, flags: keyFlag.tool }] },
  attributes: {
    provided_model_name: [[70, spanAttribute('model')]],
    names_a_model: [[50, spanAttribute('model', 'present')]],
  },
  usage: [[60, { name: 'mlflow.chat.tokenUsage', counts: mlflowUsage }]],
  cost: [[40, { name: 'mlflow.llm.cost', read: mlflowCost }]],
  tools: [[54, { ...toolAttribute('mlflow.chat.tools'), repeatsInput: true }]],
  inputOutput: [[120, pair('MLflow', { input: ['mlflow.spanInputs'], output: ['mlflow.spanOutputs'] })]],
}
