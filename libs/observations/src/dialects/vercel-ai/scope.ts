// Recognizes spans of the SDK's own tracer, and ignores the values that the SDK sends for omitted settings.
import { scopeIs } from '../../rules/input-output-rule.ts'
import { isNullText } from '../../rules/json-attribute.ts'
import { type Accepts, type AttributeRule, spanAttribute } from '../../rules/rules.ts'
import { keyNumber } from '../../span-view/keys.ts'

export const isVercelAi = scopeIs('ai')

/** Like `spanAttributes`, but ignores the texts `null` and `undefined`, which stand for omitted settings. */
export function saying(accepts: Accepts, ...keys: readonly string[]): readonly AttributeRule[] {
  return keys.map(key => {
    const number = keyNumber(key)
    return spanAttribute(key, accepts, span => !isNullText(span, span.own.get(number)))
  })
}
