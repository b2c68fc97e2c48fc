// Evaluators of the autoevals library.
import type { Anything } from '../anything.ts'
import type { Evaluator } from './types.ts'

interface AutoevalsScore {
  readonly name: string
  readonly score: number | null
  readonly metadata?: Record<string, unknown> | undefined
}

/** Returns an evaluator that calls an autoevals evaluator with `params`. */
export function createEvaluatorFromAutoevals<Params extends object>(
  evaluator: (params: Anything) => AutoevalsScore | Promise<AutoevalsScore>,
  params?: Params,
): Evaluator {
  return async ({ input, output, expectedOutput }) => {
    const { name, score, metadata } = await evaluator({ ...params, input, output, expected: expectedOutput })
    return { name, value: score ?? 0, ...(metadata && { metadata }) }
  }
}
