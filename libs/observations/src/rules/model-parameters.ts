// Model parameters that one attribute holds as JSON.
import { keyNumber } from '../span-view/keys.ts'
import { isNullText, jsonAttribute } from './json-attribute.ts'
import type { Rule } from './rules.ts'

const isContainer = (given: unknown): unknown => (typeof given === 'object' && given !== null ? given : undefined)

/**
 * `accepted` extracts the parameters from the value, or returns undefined if the value has none. By default, objects and lists are
 * accepted, even empty ones.
 */
export function parametersIn(name: string, accepted: (given: unknown) => unknown = isContainer): Rule<unknown> {
  const key = keyNumber(name)
  return {
    name,
    read(span) {
      const entry = span.own.get(key)
      if (entry < 0 || !span.attributes.isTruthy(entry) || isNullText(span, entry)) return undefined
      const found = accepted(jsonAttribute(span, entry))
      if (found === undefined) span.lose('unreadable_json', entry)
      else span.explanation?.use(name)
      return found
    },
  }
}
