// Usage as OpenTelemetry and OpenInference count it: every attribute below their prefixes, with what is part
// of a count taken out of it.

import type { Amounts, Units } from '@svc-server/pricing/amounts'
import type { SpanView } from '../span-view/span-view.ts'
import { type Bucket, buckets } from '../span-view/usage-key.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import { countAt, countOf, setCount, unitsOfAttribute, without } from './units.ts'

const at = Object.fromEntries(buckets.map((name, place) => [name, place])) as Record<Bucket, number>

/** Counts that a count contains. They are kept beside it, so that it is priced without them. */
const parts: readonly { readonly of: number; readonly names: readonly number[] }[] = [
  { of: at.input, names: [at.input_cached_tokens, at.input_cache_creation, at.input_audio_tokens] },
  {
    of: at.output,
    names: [at.output_reasoning_tokens, at.output_audio_tokens, at.output_accepted_prediction_tokens, at.output_rejected_prediction_tokens],
  },
]

const none = 0x7fffffff

/** One for all: its lists are filled again for every span. */
export const genericUsage = createGenericUsage()

function createGenericUsage() {
  const values: Units[] = buckets.map(() => 0)
  const entries = new Int32Array(buckets.length)
  const ranks = new Int32Array(buckets.length)
  const own = new Map<string, { rank: number; units: Units; entry: number }>()

  function collect(span: SpanView): boolean {
    const { attributes } = span
    const { keys, flags, table } = attributes
    let found = false
    ranks.fill(none)
    if (own.size > 0) own.clear()
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      if ((flags[entry]! & keyFlag.usage) === 0 || !attributes.isSet(entry)) continue
      const units = unitsOfAttribute(span, entry)
      if (units === undefined) {
        span.lose('unfit_value', entry)
        continue
      }
      found = true
      if (span.trail !== null) span.trail.used(span, entry)
      const { bucket, rank, name } = table.usageKey(keys[entry]!)
      if (bucket < 0) {
        if (rank < (own.get(name)?.rank ?? none)) own.set(name, { rank, units, entry })
      } else if (rank < ranks[bucket]!) {
        ranks[bucket] = rank
        values[bucket] = units
        entries[bucket] = entry
      }
    }
    return found
  }

  const has = (bucket: number) => ranks[bucket] !== none

  function put(span: SpanView, into: Amounts, name: string, units: Units, entry: number): void {
    const count = countOf(units)
    if (count !== undefined) setCount(into, name, count)
    else if (entry >= 0) span.lose('unfit_value', entry)
  }

  /**
   * False when the span has none of these attributes and no `cached`: what the cache gave, where no attribute
   * says it.
   */
  return function genericUsage(span: SpanView, into: Amounts, cached?: Units): boolean {
    const worthALook = cached !== undefined || (span.attributes.seenFlags & keyFlag.usage) !== 0
    if (!worthALook || (!collect(span) && cached === undefined)) return false
    into.clear()
    if (cached !== undefined && !has(at.input_cached_tokens)) {
      ranks[at.input_cached_tokens] = 0
      values[at.input_cached_tokens] = cached
      entries[at.input_cached_tokens] = -1
    }
    for (let i = 0; i < parts.length; i++) {
      const { of, names } = parts[i]!
      if (!has(of)) continue
      for (let n = 0; n < names.length; n++) if (has(names[n]!)) values[of] = without(values[of]!, values[names[n]!]!)
    }
    for (let bucket = 0; bucket < buckets.length; bucket++) {
      if (has(bucket)) put(span, into, buckets[bucket]!, values[bucket]!, entries[bucket]!)
    }
    for (const [name, { units, entry }] of own) if (countAt(into, name) === undefined) put(span, into, name, units, entry)
    return true
  }
}
