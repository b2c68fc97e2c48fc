// Calls evaluators. One that fails is logged, and the others stay.
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

/** Whoever writes no types may return nothing where there is nothing to say. */
const isEvaluation = (value: unknown): value is Evaluation => typeof value === 'object' && value !== null

/** All evaluations of the evaluators, in their order. They may answer with or without a promise. */
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
