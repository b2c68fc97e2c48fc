// Names that contain the brand. For SDKs of another brand, an operator lists it in SVC_BRAND_ALIASES; its names are then treated like ours.

const brand = 'svc'

/** Lower-case words, separated by commas. */
export const brandAliasPattern = /^[a-z][a-z0-9]*(?:,[a-z][a-z0-9]*)*$/
export const brandAliasesValid = 'names of lower-case letters and digits, separated by commas'

/** Without our own brand. */
export const brandAliasesOf = (text: string | undefined): readonly string[] => [
  ...new Set((text ?? '').split(',').filter(alias => alias !== '' && alias !== brand)),
]

export interface BrandNames {
  /** False without aliases: all names then stay unchanged. */
  readonly aliased: boolean
  /** Ours first. */
  readonly prefixes: readonly string[]
  /** In the name of a scope or an SDK: `acme-sdk`, `@acme/otel`, `acme-js`. */
  name(text: string): string
  /**
   * In an attribute key; undefined without an alias. At the beginning, an alias always becomes our brand: `acme.user.id`. Inside a key,
   * only if `isKnown` accepts the result: `svc.trace.metadata.acme_user_id`, but not a user's own `acme_id`.
   */
  key(text: string, isKnown: (key: string) => boolean): string | undefined
}

const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1)

/** Takes the alias's case: ACME becomes SVC, Acme becomes Svc. */
const inCaseOf = (written: string): string =>
  written === written.toLowerCase() ? brand : written === written.toUpperCase() ? brand.toUpperCase() : capitalized(brand)

export function createBrandNames(aliases: readonly string[] = []): BrandNames {
  const prefixes = [brand, ...aliases]
  if (aliases.length === 0) return { aliased: false, prefixes, name: text => text, key: () => undefined }
  // Longest first, so that `acmeai` is not matched as `acme`.
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
