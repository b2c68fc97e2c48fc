// Rules are data: lists whose order is the precedence, so that "why is this column empty?" is answered by reading a list.
import { type KnownKey, keyNumber } from './attributes/keys.ts'
import type { SpanView } from './span-view.ts'

/** How much of a value a rule wants: any value (`??`), a truthy one (`||`), or just the key. */
export type Accepts = 'set' | 'truthy' | 'key'

export interface AttributeRule {
  readonly name: KnownKey
  readonly of: 'span' | 'resource'
  readonly key: number
  readonly accepts: Accepts
}

const rule = (name: KnownKey, of: AttributeRule['of'], accepts: Accepts): AttributeRule => ({ name, of, key: keyNumber(name), accepts })

export const spanAttribute = (name: KnownKey, accepts: Accepts = 'truthy'): AttributeRule => rule(name, 'span', accepts)
export const resourceAttribute = (name: KnownKey, accepts: Accepts = 'truthy'): AttributeRule => rule(name, 'resource', accepts)

/** The attribute (its entry) of the first rule that finds one, or -1. */
export function findFirst(span: SpanView, rules: readonly AttributeRule[]): number {
  for (let i = 0; i < rules.length; i++) {
    const { of, key, accepts } = rules[i]!
    const entry = (of === 'span' ? span.own : span.resource).get(key)
    if (entry < 0) continue
    if (accepts === 'key' || (accepts === 'set' ? span.attributes.isSet(entry) : span.attributes.isTruthy(entry))) return entry
  }
  return -1
}

/** A named way to a value; undefined means: ask the next rule. */
export interface Rule<T> {
  readonly name: string
  readonly read: (span: SpanView) => T | undefined
}

export function firstOf<T>(rules: readonly Rule<T>[], span: SpanView): T | undefined {
  for (let i = 0; i < rules.length; i++) {
    const found = rules[i]!.read(span)
    if (found !== undefined) return found
  }
  return undefined
}
