// Describes how a convention marks input and output. columns/input-output.ts defines the order of all rules.
import type { SpanView } from '../span-view/span-view.ts'
import { type Accepts, type Condition, findFirst, spanAttributes } from './rules.ts'

export interface InputOutputRule {
  readonly name: string
  /**
   * If the span matches the convention, sets the span's input and output, and returns true. `all` contains the rules of every dialect, so
   * that a rule can also run these rules on an event of the span.
   */
  readonly read: (span: SpanView, all: readonly InputOutputRule[]) => boolean
}

interface Pair {
  readonly input: readonly string[]
  readonly output: readonly string[]
  /** `truthy`: the first attribute with a nonempty value. `set`: the first attribute that is present, even if it is empty. */
  readonly accepts?: Extract<Accepts, 'set' | 'truthy'>
  /** Like `accepts`, but for the output. The default is the value of `accepts`. */
  readonly acceptsOutput?: Extract<Accepts, 'set' | 'truthy'>
  /** If true, the convention matches even if input and output are empty. */
  readonly emptyCounts?: boolean
  readonly when?: Condition
}

/** Copies the values of two attributes unchanged. The rule applies if the attribute of the input or of the output has a value. */
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
  if (span.explanation !== null) span.explanation.side(side)
  return entry
}

export const scopeIs =
  (name: string): Condition =>
  span =>
    span.scopeName === name
