// The SDK's own tracer, and what its settings look like where the application gave none.
import { scopeIs } from '../../rules/input-output-rule.ts'
import { isNullText } from '../../rules/json-attribute.ts'
import { type Accepts, type AttributeRule, spanAttribute } from '../../rules/rules.ts'
import { keyNumber } from '../../span-view/keys.ts'

export const isVercelAi = scopeIs('ai')

/**
 * As `spanAttributes`, but the texts `null` and `undefined` are no values: the SDK makes them of what the
 * application did not give.
 */
export function saying(accepts: Accepts, ...keys: readonly string[]): readonly AttributeRule[] {
  return keys.map(key => {
    const number = keyNumber(key)
    return spanAttribute(key, accepts, span => !isNullText(span, span.own.get(number)))
  })
}
