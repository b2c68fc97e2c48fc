// Rules are data: lists in order of precedence. A person who reads the list of a column can see why the column is empty.
//
// `svc explain` runs the mapping, and an `Explanation` records the applied rule and its attributes. `forColumn('user_id', [...])` connects
// a list with its column. The functions `findFirst`, `firstOf`, and `wordOf` then record the rule for this column. If code chooses a value
// without using a list of rules, the code itself must record the choice: `span.explanation?.found('level', 'status code')`.
import { keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'

export { forColumn } from '../span-view/explanation.ts'

/**
 * Which values a rule accepts. `set`: any value (`??`). `truthy`: a truthy value (`||`). `present`: all except empty texts and empty lists.
 * `key`: any attribute with the key, even without a value.
 */
export type Accepts = 'set' | 'truthy' | 'present' | 'key'

export type Condition = (span: SpanView) => boolean

export interface AttributeRule {
  readonly name: string
  readonly of: 'span' | 'resource'
  readonly key: number
  readonly accepts: Accepts
  /** Null if the rule always applies. */
  readonly when: Condition | null
}

const rule = (name: string, of: AttributeRule['of'], accepts: Accepts, when: Condition | null): AttributeRule => ({
  name,
  of,
  key: keyNumber(name),
  accepts,
  when,
})

export const spanAttribute = (name: string, accepts: Accepts = 'truthy', when: Condition | null = null): AttributeRule =>
  rule(name, 'span', accepts, when)
export const resourceAttribute = (name: string, accepts: Accepts = 'truthy'): AttributeRule => rule(name, 'resource', accepts, null)

export const spanAttributes = (accepts: Accepts, ...names: readonly string[]): readonly AttributeRule[] =>
  names.map(name => spanAttribute(name, accepts))

/** Returns the attribute's entry, or -1. */
export function findFirst(span: SpanView, rules: readonly AttributeRule[]): number {
  for (let i = 0; i < rules.length; i++) {
    const { of, key, accepts, when, name } = rules[i]!
    const entry = (of === 'span' ? span.own : span.resource).get(key)
    if (entry < 0 || !isAccepted(span, entry, accepts)) continue
    if (when !== null && !when(span)) continue
    if (span.explanation !== null) span.explanation.foundAttribute(rules, of === 'span' ? name : `resource ${name}`)
    return entry
  }
  return -1
}

function isAccepted({ attributes }: SpanView, entry: number, accepts: Accepts): boolean {
  if (accepts === 'truthy') return attributes.isTruthy(entry)
  if (accepts === 'set') return attributes.isSet(entry)
  return accepts === 'key' || attributes.isPresent(entry)
}

/** If `read` returns undefined, the next rule is tried. */
export interface Rule<T> {
  readonly name: string
  readonly read: (span: SpanView) => T | undefined
}

export function firstOf<T>(rules: readonly Rule<T>[], span: SpanView): T | undefined {
  const { explanation } = span
  for (let i = 0; i < rules.length; i++) {
    const { name, read } = rules[i]!
    if (explanation !== null) explanation.begin()
    const found = read(span)
    if (found === undefined) continue
    if (explanation !== null) explanation.foundRule(rules, name)
    return found
  }
  return undefined
}

/** Creates a rule. If the span has one of the attributes in `keys`, the rule returns `value`, for example an observation type. */
export function whenPresent<T>(name: string, keys: readonly string[], value: T): Rule<T> {
  const rules = spanAttributes('present', ...keys)
  return { name, read: span => (findFirst(span, rules) >= 0 ? value : undefined) }
}
