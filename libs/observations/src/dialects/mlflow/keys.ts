import { declareKeys } from '../../span-view/keys.ts'

export const mlflowKeys = declareKeys({
  content: ['mlflow.spanInputs', 'mlflow.spanOutputs'],
  kept: ['model', 'mlflow.chat.tools', 'mlflow.chat.tokenUsage', 'mlflow.llm.cost'],
})
