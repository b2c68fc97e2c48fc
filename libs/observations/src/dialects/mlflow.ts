// MLflow.
import { pair } from '../input-output-rule.ts'

export const mlflowInputOutput = pair('MLflow', { input: ['mlflow.spanInputs'], output: ['mlflow.spanOutputs'] })
