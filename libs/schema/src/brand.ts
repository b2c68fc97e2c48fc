// Names that carry the brand, and SDKs that spell them with another one. An operator who moves such SDKs here
// lists their brand in SVC_BRAND_ALIASES; gateway and mapping then read its names as if they were written
// with ours. Everything about it stands here.

const brand = 'svc'

/** What SVC_BRAND_ALIASES takes: lower-case words, separated by commas. */
export const brandAliasPattern = /^[a-z][a-z0-9]*(?:,[a-z][a-z0-9]*)*$/
export const brandAliasesValid = 'names of lower-case letters and digits, separated by commas'

/** The aliases of a value of SVC_BRAND_ALIASES. Our own name is none. */
export const brandAliasesOf = (text: string | undefined): readonly string[] => [
  ...new Set((text ?? '').split(',').filter(alias => alias !== '' && alias !== brand)),
]

export interface BrandNames {
  /** False: every name is as it is, and nobody needs to ask. */
  readonly aliased: boolean
  /** Brands as header names and environments begin with them, ours first. */
  readonly prefixes: readonly string[]
  /** Name of a scope or an SDK: `acme-sdk`, `@acme/otel`, `acme-js`. */
  name(text: string): string
  /**
   * Key of an attribute, or undefined when it carries no alias. The leading brand is ours then:
   * `acme.user.id`. Other places count only where the result is a key that `isKnown`:
   * `svc.trace.metadata.acme_user_id` is one of ours, a user's own `acme_id` is not.
   */
  key(text: string, isKnown: (key: string) => boolean): string | undefined
}

const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1)

/** As the alias was written, so ours is: ACME is SVC, Acme is Svc. */
const inCaseOf = (written: string): string =>
  written === written.toLowerCase() ? brand : written === written.toUpperCase() ? brand.toUpperCase() : capitalized(brand)

export function createBrandNames(aliases: readonly string[] = []): BrandNames {
  const prefixes = [brand, ...aliases]
  if (aliases.length === 0) return { aliased: false, prefixes, name: text => text, key: () => undefined }
  // The longest first: of `acme` and `acmeai` the name says which is meant.
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
