// How a convention says where input and output are. One shape for all dialects; the list in
// columns/input-output.ts is the precedence.
import type { SpanView } from '../span-view/span-view.ts'
import { type Accepts, type Condition, findFirst, spanAttributes } from './rules.ts'

export interface InputOutputRule {
  readonly name: string
  /**
   * Puts what it finds into the span's input and output. True: the convention is taken, both sides are
   * decided. `all`: the rules of every dialect.
   */
  readonly read: (span: SpanView, all: readonly InputOutputRule[]) => boolean
}

interface Pair {
  readonly input: readonly string[]
  readonly output: readonly string[]
  /** `truthy`: the first of them that says something. `set`: the first that is there (`??`), be it empty. */
  readonly accepts?: Extract<Accepts, 'set' | 'truthy'>
  /** Where the output's differs. */
  readonly acceptsOutput?: Extract<Accepts, 'set' | 'truthy'>
  /** Both sides empty is an answer too. */
  readonly emptyCounts?: boolean
  readonly when?: Condition
}

/**
 * Attributes whose values are input and output as they are. Taken when either side has a value; the other one
 * stays empty.
 */
export function pair(
  name: string,
  { input, output, accepts = 'truthy', acceptsOutput = accepts, emptyCounts = false, when }: Pair,
): InputOutputRule {
  const inputRules = spanAttributes(accepts, ...input)
  const outputRules = spanAttributes(acceptsOutput, ...output)
  return {
    name,
    read(span) {
      if (when !== undefined && !when(span)) return false
      const from = findSide(span, inputRules, 'input')
      const to = findSide(span, outputRules, 'output')
      const { attributes } = span
      const taken = emptyCounts ? from >= 0 || to >= 0 : attributes.isTruthy(from) || attributes.isTruthy(to)
      if (!taken) return false
      span.input.attribute(span, from)
      span.output.attribute(span, to)
      return true
    },
  }
}

export function findSide(span: SpanView, rules: Parameters<typeof findFirst>[1], side: 'input' | 'output'): number {
  const entry = findFirst(span, rules)
  if (span.trail !== null) span.trail.side(side)
  return entry
}

export const scopeIs =
  (name: string): Condition =>
  span =>
    span.scopeName === name
