// Determines the SDK of a request, and whether the SDK propagates trace attributes itself. If the SDK does so, its spans need no window.

export type SdkLanguage = 'python' | 'javascript'

const languages: Readonly<Record<string, SdkLanguage>> = {
  python: 'python',
  'svc-python': 'python',
  javascript: 'javascript',
  js: 'javascript',
  typescript: 'javascript',
  ts: 'javascript',
  'svc-js': 'javascript',
  'svc-ts': 'javascript',
}

const javascriptPackage = /^@svc\/(client|browser|core|langchain|otel|openai|tracing|vercel-ai-sdk)$/

/** Returns null for an SDK of another vendor. */
export function sdkLanguage(name: string): SdkLanguage | null {
  const known = name.trim().toLowerCase()
  if (javascriptPackage.test(known)) return 'javascript'
  return Object.hasOwn(languages, known) ? languages[known]! : null
}

export type SdkVersion = readonly [major: number, minor: number, patch: number]

// Accepts versions such as v1.2.3-pre+build. Also accepts Python's pre-releases: 1.2.3 with a, b, or rc and a number.
const grammar = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:(?:a|b|rc)\d+|(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?)$/i

/** Returns null if the version is invalid. A pre-release such as 1.2.3-beta counts as 1.2.3. */
export function parseSdkVersion(text: string): SdkVersion | null {
  const match = grammar.exec(text.trim())
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3])]
}

/** The first versions that set trace attributes on every span (contract §9.1). */
const realTimeSince: Readonly<Record<SdkLanguage, SdkVersion>> = {
  python: [4, 7, 0],
  javascript: [5, 4, 0],
}

const atLeast = (version: SdkVersion, threshold: SdkVersion) => {
  const position = version.findIndex((part, i) => part !== threshold[i])
  return position < 0 || version[position]! > threshold[position]!
}

/** True for Python from 4.7.0, and for JS/TS from 5.4.0. False for an invalid version. */
export function isRealTimeSdk(name: string, version: string): boolean {
  const language = sdkLanguage(name)
  const parsed = parseSdkVersion(version)
  return language !== null && parsed !== null && atLeast(parsed, realTimeSince[language])
}

/**
 * For each language: `major` is the newest major version that uses only the legacy API. `goTo` is the first version whose spans are
 * readable without a delay (contract §9.1).
 */
const tooOld: Readonly<Record<SdkLanguage, { readonly major: number; readonly goTo: string }>> = {
  python: { major: 2, goTo: 'Python SDK 4.7.0 or newer' },
  javascript: { major: 3, goTo: 'JS/TS SDK 5.4.0 or newer' },
}

/** For each language, the newest major version of the SDK that `events_only` rejects. */
export const newestTooOld: Readonly<Record<SdkLanguage, number>> = { python: tooOld.python.major, javascript: tooOld.javascript.major }

/** If `events_only` rejects the SDK (Python 2 and older, JS/TS 3 and older), returns the version to which the client must upgrade. */
export function sdkToGoTo(name: string, version: string): string | undefined {
  const language = sdkLanguage(name)
  const parsed = parseSdkVersion(version)
  return language === null || parsed === null || parsed[0] > tooOld[language].major ? undefined : tooOld[language].goTo
}

/** A sentence for the client. */
export function sdkUpgrade(name: string, version: string): string | undefined {
  const goTo = sdkToGoTo(name, version)
  if (goTo === undefined) return undefined
  return `${name.trim().slice(0, 60)} ${version.trim().slice(0, 40)} is too old for this server: upgrade to ${goTo}`
}
