// If the scores of an experiment are too low, throw this error, so that the CI run fails.
import type { ExperimentResult } from './types.ts'

export interface RegressionErrorMessageOptions {
  readonly result: ExperimentResult
  readonly message?: string | undefined
}

export interface RegressionErrorMetricOptions extends RegressionErrorMessageOptions {
  readonly metric: string
  readonly value: number
  readonly threshold?: number | undefined
}

export type RegressionErrorOptions = RegressionErrorMessageOptions | RegressionErrorMetricOptions

function messageOf(options: Partial<RegressionErrorMetricOptions>): string {
  const { message, metric, value, threshold } = options
  if (message !== undefined) return message
  if (metric === undefined) return 'The experiment shows a regression.'
  return `The experiment shows a regression: ${metric} is ${value}${threshold === undefined ? '' : `, the threshold is ${threshold}`}.`
}

export class RegressionError extends Error {
  readonly result: ExperimentResult
  readonly metric: string | undefined
  readonly value: number | undefined
  readonly threshold: number | undefined

  constructor(options: RegressionErrorOptions) {
    const { result, metric, value, threshold }: Partial<RegressionErrorMetricOptions> & RegressionErrorMessageOptions = options
    super(messageOf(options))
    this.name = 'RegressionError'
    this.result = result
    this.metric = metric
    this.value = value
    this.threshold = threshold
  }
}
