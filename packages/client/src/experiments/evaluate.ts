// Calls evaluators. If an evaluator fails, the error is logged, and the results of the other evaluators are kept.
import { getGlobalLogger } from '@svc/core'
import type { Evaluation } from './types.ts'

type Evaluations = Evaluation | Evaluation[]

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return 'which cannot be written as JSON'
  }
}

/** In JavaScript, an evaluator can return nothing if it has no evaluation. */
const isEvaluation = (value: unknown): value is Evaluation => typeof value === 'object' && value !== null

/** Returns the evaluations in the order of the evaluators. */
export async function evaluate<P>(
  evaluators: readonly ((params: P) => Evaluations | Promise<Evaluations>)[],
  params: P,
): Promise<Evaluation[]> {
  const results = evaluators.map(async evaluator => {
    try {
      return [await evaluator(params)].flat().filter(isEvaluation)
    } catch (error) {
      getGlobalLogger().error(`The evaluator '${evaluator.name}' failed for ${textOf(params)}.`, error)
      return []
    }
  })
  return (await Promise.all(results)).flat()
}
