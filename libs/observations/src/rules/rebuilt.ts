// Some conventions split a list of messages into its leaves. Each leaf is a separate attribute, whose key contains the path of the leaf.
// This module creates the rule for such a convention. The convention matches if the span has a leaf or the whole value of the input or the
// output. If the convention matches only because of the output, the input becomes `{}`. If it matches only because of the input, the output
// becomes `{}`.

import type { Content } from '../span-view/content.ts'
import { keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { InputOutputRule } from './input-output-rule.ts'
import { writeRebuilt } from './nested-rebuild.ts'

interface Side {
  readonly key: string
  readonly flag: number
}

export function rebuilt(name: string, { input, output }: { readonly input: Side; readonly output: Side }): InputOutputRule {
  const inputKey = keyNumber(input.key)
  const outputKey = keyNumber(output.key)
  const flags = input.flag | output.flag

  function side(span: SpanView, { flag, key }: Side, number: number, into: Content): void {
    const whole = span.own.get(number)
    span.explanation?.use(span.attributes.isTruthy(whole) ? key : `${key}.*`)
    // If one attribute contains the whole value, the other attributes only repeat parts of this value.
    if (span.attributes.isTruthy(whole)) into.attribute(span, whole)
    else {
      const isWhole = writeRebuilt(into.writer(), span, flag)
      into.written()
      if (isWhole) into.partFlags = flag
    }
  }

  return {
    name,
    read(span) {
      if ((span.attributes.seenFlags & flags) === 0 && span.own.get(inputKey) < 0 && span.own.get(outputKey) < 0) return false
      side(span, input, inputKey, span.input)
      span.explanation?.side('input')
      side(span, output, outputKey, span.output)
      span.explanation?.side('output')
      return true
    },
  }
}
