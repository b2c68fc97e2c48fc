// The tier that a call was served at, or asked for: providers charge by the one that they served.

import { parseJson, wireText } from '../span-view/json-text.ts'
import { declareKeys, keyNumber } from '../span-view/keys.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { attributeText } from './attribute-text.ts'
import { memberOf } from './json-attribute.ts'

/** What a tier of a price list depends on. */
const tierKeys = ['service_tier', 'speed'] as const
type TierKey = (typeof tierKeys)[number]
export const isTierKey = (key: string): key is TierKey => (tierKeys as readonly string[]).includes(key)

/** The conventions have moved them from one namespace to another; frameworks have theirs. */
const servedBy = [
  'gen_ai.response.',
  'gen_ai.openai.response.',
  'openai.response.',
  'gen_ai.anthropic.response.',
  'anthropic.response.',
  'llm.response.',
]
const askedBy = ['gen_ai.openai.request.', 'openai.request.', 'gen_ai.anthropic.request.', 'anthropic.request.', 'llm.request.']

/** In the order in which they are asked. Those that are asked for are parameters of the model otherwise. */
export interface TierRule {
  readonly name: string
  readonly read: (span: SpanView, key: TierKey) => string | undefined
}

const keysOf = (prefixes: readonly string[]): readonly string[] => prefixes.flatMap(prefix => tierKeys.map(key => prefix + key))

declareKeys({ kept: [...keysOf(servedBy), ...keysOf(askedBy)] })

function ofAttributes(name: string, prefixes: readonly string[]): TierRule {
  const numbers = Object.fromEntries(tierKeys.map(key => [key, prefixes.map(prefix => keyNumber(prefix + key))])) as Record<
    TierKey,
    number[]
  >
  return {
    name,
    read(span, key) {
      for (const number of numbers[key]) {
        const entry = span.own.get(number)
        if (!span.attributes.isTruthy(entry)) continue
        if (span.trail !== null) span.trail.used(span, entry)
        return attributeText(span, entry)
      }
      return undefined
    },
  }
}

export const servedTier = ofAttributes('tier that was served', servedBy)
export const askedTier = ofAttributes('tier that was asked for', askedBy)

/** A Buffer's search is native. */
const find = Buffer.prototype.includes as unknown as (this: Uint8Array, what: string) => boolean
const longestAnswer = 1 << 20
/** `{"role…`, as nearly all that begins with a brace: no answer as the provider gave it. */
const isMessage = (bytes: Uint8Array, at: number): boolean => bytes[at + 1] === 0x22 && bytes[at + 2] === 0x72 && bytes[at + 3] === 0x6f

/** An answer that is kept as the provider gave it says how it was served. */
export const tierInAnswer: TierRule = {
  name: 'tier in the answer',
  read({ output: { present, source, start, end } }, key) {
    if (!present || source.bytes[start] !== 0x7b || end - start > longestAnswer || isMessage(source.bytes, start)) return undefined
    if (!find.call(source.bytes.subarray(start, end), `"${key}"`)) return undefined
    const answer = parseJson(wireText(source, start, end))
    const said = memberOf(answer, key) ?? memberOf(answer, 'usage', key)
    return typeof said === 'string' && said !== '' ? said : undefined
  },
}
