// Describes how a dialect reports usage. The words in a count's name determine what the count means. The pricing code
// derives the stored keys and their amounts from the counts, so that each token counts in only one key.
import type { Units } from '@svc-server/pricing/amounts'
import type { SaidUsage } from '@svc-server/pricing/said-usage'
import { readUsageName, type UsageName } from '@svc-server/pricing/usage-name'
import { valueKind } from '../span-view/any-value.ts'
import { isJsonObject, type JsonObject } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { AmountsRule } from './amounts-rule.ts'
import { attributeText, mayHoldMembers } from './attribute-text.ts'
import { jsonAttribute } from './json-attribute.ts'
import { countOf, countOfJson, unitsOfAttribute, withMore } from './units.ts'

/** Counts that an instrumentation reports. */
interface CountsRule {
  readonly name: string
  /** Reports counts, or returns false. */
  readonly counts: (span: SpanView, said: SaidUsage) => boolean
}

/**
 * A `CountsRule` reports each count with its meaning, and the pricing code derives the stored keys from the counts. An `AmountsRule`
 * reports the stored keys directly.
 */
export type UsageRule = CountsRule | AmountsRule

export const isAsSaid = (rule: UsageRule): rule is AmountsRule => 'read' in rule

type CountAt = (span: SpanView, entry: number) => Units | undefined

const wholeCount: CountAt = (span, entry) => {
  const units = unitsOfAttribute(span, entry)
  return units === undefined ? undefined : countOf(units)
}

/** Reads the counts in attributes whose key has one of the `wanted` flags. Returns false if no such attribute states a count. */
export function saidCounts(span: SpanView, said: SaidUsage, wanted: number = keyFlag.usage, countAt: CountAt = wholeCount): boolean {
  const { attributes } = span
  if ((attributes.seenFlags & wanted) === 0) return false
  const { keys, flags, table } = attributes
  let found = false
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((flags[entry]! & wanted) === 0 || !attributes.isSet(entry)) continue
    const { kind, cell, isBilled } = table.usageName(keys[entry]!)
    if (kind !== 'count') {
      if (mayHoldMembers(span, entry)) found = openedCounts(span, said, entry) || found
      else if (kind === 'other' && listedCount(span, said, entry)) found = true
      else if (kind !== 'money') span.leaveOut(entry)
      continue
    }
    const count = countAt(span, entry)
    if (count === undefined) {
      if (!openedCounts(span, said, entry)) span.lose('unfit_value', entry)
      else found = true
      continue
    }
    found = true
    said.say(cell, count, entry, isBilled)
    if (span.explanation !== null) span.explanation.used(span, entry)
  }
  return found
}

/**
 * Reads the counts inside one attribute, such as `gen_ai.usage.prompt_tokens_details` = `{"cached_tokens": 5}`. The value of the attribute
 * is JSON text, a map, or a list by modality. Returns false if the attribute contains no counts.
 */
function openedCounts(span: SpanView, said: SaidUsage, entry: number): boolean {
  if (!mayHoldMembers(span, entry)) return false
  const held = jsonAttribute(span, entry)
  const { keys, table } = span.attributes
  const name = table.nameOf(keys[entry]!).slice(table.prefixLength(keys[entry]!))
  const object = Array.isArray(held) ? { [name]: held } : held
  if (!isJsonObject(object)) return false
  const found = countsIn(object, said, { prefix: Array.isArray(held) ? '' : name, entry })
  if (found && span.explanation !== null) span.explanation.used(span, entry)
  return found
}

const countNames: readonly string[] = ['token_count', 'tokenCount', 'tokens', 'inputTokens', 'input_tokens']
/** Members that describe what an entry of a list counts: `{modality: 'AUDIO', tokenCount: 5}`, `{ttl: '1h', inputTokens: 5}`. */
const labels = ['modality', 'ttl'] as const

/** `….prompt_tokens_details.0.token_count` beside `….prompt_tokens_details.0.modality`. */
function listedCount(span: SpanView, said: SaidUsage, entry: number): boolean {
  const { attributes, ownFrom } = span
  const { keys, flags, kinds, table } = attributes
  const { path, indexes } = table.pathOf(keys[entry]!)
  const last = path.length - 1
  if (last < 2 || indexes[last - 1]! < 0 || !countNames.includes(path[last]!)) return false
  const count = countOf(unitsOfAttribute(span, entry) ?? -1)
  const siblings = labels.map(label => [...path.slice(0, last), label].join('.'))
  for (let other = ownFrom; count !== undefined && other < attributes.length; other++) {
    if (flags[other] !== flags[entry] || kinds[other] !== valueKind.text) continue
    if (!siblings.includes(table.pathOf(keys[other]!).path.join('.'))) continue
    const { kind, cell, isBilled } = usageName(`${path.slice(0, last - 1).join('.')}.${lastWord(attributeText(span, other))}`)
    if (kind !== 'count') return false
    said.say(cell, count, entry, isBilled)
    if (span.explanation !== null) span.explanation.used(span, entry)
    return true
  }
  return false
}

/** `AUDIO` of `Modality.AUDIO`. */
const lastWord = (modality: string): string => modality.slice(modality.lastIndexOf('.') + 1)

const known = new Map<string, UsageName>()
const mostKnown = 2000

function usageName(name: string): UsageName {
  let read = known.get(name)
  if (read === undefined) {
    read = readUsageName(name)
    if (known.size >= mostKnown) known.clear()
    if (name.length <= 200) known.set(name, read)
  }
  return read
}

interface CountsOptions {
  /** Text that is put before every name in the object. */
  readonly prefix?: string
  readonly entry?: number
  /** True to add only counts that the attributes have not reported. */
  readonly fill?: boolean
}

const deepest = 4
const mostMembers = 200

/**
 * The object can contain further objects, and lists with one entry per modality (`{modality: 'AUDIO', tokenCount: 5}`). Returns false if
 * there are no counts.
 */
export function countsIn(object: JsonObject, said: SaidUsage, { prefix = '', entry = -1, fill = false }: CountsOptions = {}): boolean {
  const before = fill ? said.cells : 0
  const say = ({ cell, isBilled }: UsageName, count: Units): void => {
    if ((before & (1 << cell)) === 0) said.say(cell, count, entry, isBilled)
  }
  const put = (name: string, value: unknown): boolean => {
    const read = usageName(name)
    const count = read.kind === 'count' ? countOfJson(value) : undefined
    if (count === undefined) return false
    say(read, count)
    return true
  }
  /**
   * Several entries of the list can belong to one count. For example, entries for the tool tokens of several modalities all belong to the
   * count of tool tokens. The values of these entries are added up.
   */
  const putList = (name: string, list: readonly unknown[]): boolean => {
    const sums = new Map<number, { readonly read: UsageName; readonly sum: Units }>()
    for (const part of list.slice(0, mostMembers)) {
      if (!isJsonObject(part)) continue
      const label = labels.map(known => part[known]).find(value => typeof value === 'string')
      if (typeof label !== 'string') continue
      const read = usageName(`${name}.${lastWord(label)}`)
      const count = read.kind === 'count' ? countOfJson(countNames.map(known => part[known]).find(value => value != null)) : undefined
      const before = sums.get(read.cell)
      if (count !== undefined) sums.set(read.cell, { read: before?.read ?? read, sum: withMore(before?.sum ?? 0, count) })
    }
    for (const { read, sum } of sums.values()) {
      const count = countOf(sum)
      if (count !== undefined) say(read, count)
    }
    return sums.size > 0
  }
  const visit = (value: JsonObject, path: string, depth: number): boolean => {
    let found = false
    for (const [name, member] of Object.entries(value).slice(0, mostMembers)) {
      const whole = path === '' ? name : `${path}.${name}`
      if (Array.isArray(member)) found = putList(whole, member) || found
      else if (isJsonObject(member)) found = (depth < deepest && visit(member, whole, depth + 1)) || found
      else found = put(whole, member) || found
    }
    return found
  }
  return visit(object, prefix, 0)
}
