// The stored form of an environment name (contract §10.5).
import type { BrandNames } from '@svc-server/schema/brand'

const fallback = 'default'
const maxCharacters = 40
const valid = /^[a-z0-9-_]+$/
/** A client can send any number of names, so the cache needs a limit. */
const maxKnown = 1000

export interface EnvironmentNames {
  /**
   * Returns the name in lowercase, with at most 40 characters and without a reserved prefix. Returns `default` if nothing valid remains.
   */
  normalized(raw: string): string
}

/** Names that start with the brand are reserved, and clients cannot choose them. */
export function createEnvironmentNames({ prefixes }: Pick<BrandNames, 'prefixes'>): EnvironmentNames {
  const reserved = new RegExp(`^(?:(?:${prefixes.join('|')})[-_]?)+`)
  const known = new Map<string, string>()
  return {
    normalized(raw) {
      const before = known.get(raw)
      if (before !== undefined) return before
      const cut = raw.toLowerCase().replace(reserved, '').slice(0, maxCharacters)
      const name = valid.test(cut) ? cut : fallback
      if (known.size >= maxKnown) known.clear()
      known.set(raw, name)
      return name
    },
  }
}
