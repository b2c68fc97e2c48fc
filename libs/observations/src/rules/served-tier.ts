// Reads the service tier of a call: the tier that was served, or else the tier that was requested. Providers charge for the served tier.

import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import { attributeText, mayHoldMembers } from './attribute-text.ts'
import { jsonAttribute, memberOf, memberOfOutput, saysNothing } from './json-attribute.ts'

const tierKeys = ['service_tier', 'speed'] as const
type TierKey = (typeof tierKeys)[number]
export const isTierKey = (key: string): key is TierKey => (tierKeys as readonly string[]).includes(key)

/**
 * Conventions and frameworks use many different prefixes before `service_tier` and `speed`. A key below `response` or `usage` contains the
 * tier that was served. A `service_tier` in any other key is the requested tier. A `speed` is the requested tier only in a key below
 * `request`.
 */
export const servedTierKey = /^(?!svc\.)(?:.*[._])?(?:response|usage)[._](?:.*[._])?(?:service_?tier|speed)$/i
export const askedTierKey =
  /^(?!svc\.|(?:.*[._])?(?:response|usage)[._])(?:(?:.*[._])?service_?tier|(?:.*[._])?request[._](?:.*[._])?speed)$/i

export interface TierRule {
  readonly name: string
  readonly read: (span: SpanView, key: TierKey) => string | undefined
}

const isOf: Readonly<Record<TierKey, RegExp>> = { service_tier: /tier$/i, speed: /speed$/i }

/** Returns `flex` for `SERVICE_TIER_FLEX`; undefined for a missing value. */
const tierOf = (said: string): string | undefined =>
  said === '' || saysNothing(said) ? undefined : said.toLowerCase().replace(/^service_tier_/, '')

/** A list is accepted if all its entries are equal. */
function tierIn(said: unknown): string | undefined {
  const [first, ...others]: readonly unknown[] = Array.isArray(said) ? said : [said]
  return typeof first === 'string' && others.every(other => other === first) ? tierOf(first) : undefined
}

function ofAttributes(name: string, flag: number): TierRule {
  return {
    name,
    read(span, key) {
      const { attributes } = span
      if ((attributes.seenFlags & flag) === 0) return undefined
      for (let entry = span.ownFrom; entry < attributes.length; entry++) {
        if ((attributes.flags[entry]! & flag) === 0 || !attributes.isTruthy(entry)) continue
        if (!isOf[key].test(attributes.table.nameOf(attributes.keys[entry]!))) continue
        const tier = mayHoldMembers(span, entry) ? tierIn(jsonAttribute(span, entry)) : tierOf(attributeText(span, entry))
        if (tier === undefined) continue
        if (span.explanation !== null) span.explanation.used(span, entry)
        return tier
      }
      return undefined
    },
  }
}

export const servedTier = ofAttributes('tier that was served', keyFlag.servedTier)
export const askedTier = ofAttributes('tier that was requested', keyFlag.askedTier)

/** The provider's usage is one attribute: `gen_ai.usage` = `{"input_tokens": 5, "service_tier": "flex"}`. */
export const tierInUsage: TierRule = {
  name: 'tier in the usage',
  read(span, key) {
    const { attributes } = span
    if ((attributes.seenFlags & keyFlag.usage) === 0) return undefined
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      if ((attributes.flags[entry]! & keyFlag.usage) === 0 || !mayHoldMembers(span, entry)) continue
      const tier = tierIn(memberOf(jsonAttribute(span, entry), key))
      if (tier === undefined) continue
      if (span.explanation !== null) span.explanation.used(span, entry)
      return tier
    }
    return undefined
  },
}

/** Faster than Uint8Array's search. */
const find = Buffer.prototype.includes as unknown as (this: Uint8Array, what: string) => boolean
/**
 * The search looks only for the end of each key. A search for a whole key would stop at every quote, because the key begins with a quote,
 * and would take twice as long.
 */
const endings: Readonly<Record<TierKey, string>> = { service_tier: '_tier"', speed: 'speed"' }
const longestAnswer = 1 << 20
/**
 * True if the text begins with `{"ro`, the beginning of `{"role"`. Such a text is a message, not an unmodified response of the provider.
 * This quick test saves most searches, because nearly all outputs that begin with a brace are messages.
 */
const isMessage = (bytes: Uint8Array, at: number): boolean => bytes[at + 1] === 0x22 && bytes[at + 2] === 0x72 && bytes[at + 3] === 0x6f

/** Unmodified provider responses include the tier at which the call was served. */
export const tierInAnswer: TierRule = {
  name: 'tier in the answer',
  read(span, key) {
    const { present, source, start, end } = span.output
    if (!present || source.bytes[start] !== 0x7b || end - start > longestAnswer || isMessage(source.bytes, start)) return undefined
    if (!find.call(source.bytes.subarray(start, end), endings[key])) return undefined
    const said = memberOfOutput(span, key) ?? memberOfOutput(span, 'usage', key)
    return typeof said === 'string' && said !== '' ? said : undefined
  },
}
