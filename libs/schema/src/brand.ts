// Handles names that contain the brand. For SDKs of another brand, an operator lists that brand as an alias in SVC_BRAND_ALIASES. Names
// with an alias are treated like names with our brand.

const brand = 'svc'

/** Matches a list of aliases that are separated by commas. An alias consists of lower-case letters and digits, and begins with a letter. */
export const brandAliasPattern = /^[a-z][a-z0-9]*(?:,[a-z][a-z0-9]*)*$/
export const brandAliasesValid = 'names that consist of lower-case letters and digits, separated by commas'

/** Returns the listed aliases without our own brand. */
export const brandAliasesOf = (text: string | undefined): readonly string[] => [
  ...new Set((text ?? '').split(',').filter(alias => alias !== '' && alias !== brand)),
]

export interface BrandNames {
  /** If false, there are no aliases, and all names stay unchanged. */
  readonly aliased: boolean
  /** Our brand, followed by the aliases. */
  readonly prefixes: readonly string[]
  /** Replaces an alias with our brand in the name of a scope or an SDK, for example in `acme-sdk`, `@acme/otel` and `acme-js`. */
  name(text: string): string
  /**
   * Replaces an alias in an attribute key; returns undefined if the key has no alias. If the whole text before the first dot is an alias,
   * this alias is always replaced, for example in `acme.user.id`. Any other alias is replaced only if `isKnown` accepts the resulting key.
   * For example, `svc.trace.metadata.acme_user_id` becomes `svc.trace.metadata.svc_user_id`, which is known. A user's own key `acme_id`
   * stays unchanged.
   */
  key(text: string, isKnown: (key: string) => boolean): string | undefined
}

const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1)

/** Returns our brand in the alias's case: ACME becomes SVC, Acme becomes Svc. */
const inCaseOf = (written: string): string =>
  written === written.toLowerCase() ? brand : written === written.toUpperCase() ? brand.toUpperCase() : capitalized(brand)

export function createBrandNames(aliases: readonly string[] = []): BrandNames {
  const prefixes = [brand, ...aliases]
  if (aliases.length === 0) return { aliased: false, prefixes, name: text => text, key: () => undefined }
  // Longer aliases come first, so that `acmeai` is not matched as `acme`.
  const forms = [...aliases]
    .sort((a, b) => b.length - a.length)
    .flatMap(alias => [alias, capitalized(alias), alias.toUpperCase()])
    .join('|')
  const named = new RegExp(`^(@?)(${forms})(?=[-_/.]|$)`)
  const leading = new RegExp(`^(${forms})(?=\\.)`)
  const anywhere = new RegExp(`(?<![A-Za-z0-9])(${forms})(?![a-z0-9])`, 'g')
  return {
    aliased: true,
    prefixes,
    name: text => text.replace(named, (_, at: string, written: string) => at + inCaseOf(written)),
    key(text, isKnown) {
      const ours = text.replace(leading, inCaseOf)
      const everywhere = text.replace(anywhere, inCaseOf)
      if (everywhere !== text && isKnown(everywhere)) return everywhere
      return ours === text ? undefined : ours
    },
  }
}
