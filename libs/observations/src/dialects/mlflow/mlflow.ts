// MLflow.
import { pair } from '../../rules/input-output-rule.ts'

export const mlflowInputOutput = pair('MLflow', { input: ['mlflow.spanInputs'], output: ['mlflow.spanOutputs'] })
