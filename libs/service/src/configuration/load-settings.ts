// Reads and validates the environment once. The error states how to correct each invalid variable (architecture §10).
import { AppError } from '@svc-server/errors'
import { hidden, redactText } from '../text/secrets.ts'
import { nearestName } from './nearest-name.ts'
import type { Profile, Setting, Settings, ValuesOf } from './setting.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface LoadOptions {
  /** Name of the service, for the error message. */
  readonly service: string
  /** The profile whose defaults apply; `remote` by default. */
  readonly profile?: Profile
  /** Variables that only child processes read. These variables do not count as unknown. */
  readonly alsoKnown?: readonly string[]
  /** Returns sentences about valid values that conflict. Called only if every value is valid. */
  readonly validate?: (loaded: LoadedSettings) => readonly string[]
}

export interface LoadedSettings {
  /** Returns the values of these settings, by the names that the code uses. */
  of<S extends Settings>(settings: S): ValuesOf<S>
  /** Unknown variables with a prefix of this product (SVC_, COLUMNSTORE_). */
  readonly unknown: readonly string[]
  /** One sentence for each unknown variable, with the closest known name. */
  readonly warnings: readonly string[]
  /** Maps each variable to its effective value. Secrets, and passwords in URLs, are hidden. */
  readonly redacted: Readonly<Record<string, string>>
  /** Entries of `redacted` that differ from their defaults. */
  readonly changed: Readonly<Record<string, string>>
}

/** Returns undefined for an empty variable, because Compose files and charts pass unset variables as empty texts. */
function given(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/**
 * Returns the settings of all parts in order, without duplicates. Throws if two parts declare different settings for one variable, which is
 * a bug.
 */
export function settingsOf(parts: readonly Settings[]): readonly Setting<unknown>[] {
  const byName = new Map<string, Setting<unknown>>()
  for (const setting of parts.flatMap(part => Object.values(part))) {
    if ((byName.get(setting.env) ?? setting) !== setting)
      throw new Error(`${setting.env} is defined twice, differently, in one process: both parts must use the same setting object.`)
    byName.set(setting.env, setting)
  }
  return [...byName.values()]
}

function problemOf({ env: name, valid, isSecret }: Setting<unknown>, text: string | undefined): string {
  if (text === undefined) return `${name} is not set: expected ${valid}.`
  return `${name}=${isSecret ? hidden : JSON.stringify(redactText(text))}: expected ${valid}.`
}

interface Read {
  readonly setting: Setting<unknown>
  readonly found: { readonly value: unknown; readonly printed?: string } | undefined
  readonly text: string | undefined
  readonly isDefault: boolean
}

function read(setting: Setting<unknown>, env: Environment, profile: Profile): Read {
  const otherwise = setting.defaults[profile]
  const text = given(env, setting.env) ?? otherwise
  if (text === undefined) return { setting, text, found: setting.isRequired ? undefined : { value: setting.absent }, isDefault: true }
  const found = setting.read(text)
  // Values are compared, so that 65536 equals 64KiB. Secrets are compared as texts.
  const isDefault =
    text === otherwise || (!setting.isSecret && otherwise !== undefined && found?.printed === setting.read(otherwise)?.printed)
  return { setting, text, found, isDefault }
}

const printed = (all: readonly Read[]): Readonly<Record<string, string>> =>
  Object.fromEntries(all.flatMap(({ setting, found }) => (found?.printed === undefined ? [] : [[setting.env, found.printed]])))

/**
 * Empty variables count as unset, and blanks before and after a value are ignored. Throws `config_invalid`, which lists every invalid
 * variable with its value and the valid values.
 */
export function loadSettings(parts: readonly Settings[], env: Environment, options: LoadOptions): LoadedSettings {
  const { service, profile = 'remote', alsoKnown = [], validate = () => [] } = options
  const all = settingsOf(parts).map(setting => read(setting, env, profile))
  const wrong = all.filter(({ found }) => found === undefined)
  refuseProblems(
    service,
    wrong.map(({ setting, text }) => problemOf(setting, text)),
    wrong[0]?.setting.env,
  )

  const values = new Map(all.map(({ setting, found }) => [setting, found!.value]))
  const known = [...all.map(({ setting }) => setting.env), ...alsoKnown]
  const unknown = unknownVariables(env, known)
  const loaded: LoadedSettings = {
    of<S extends Settings>(settings: S) {
      const entries = Object.entries(settings).map(([name, setting]) => {
        if (!values.has(setting)) throw new Error(`${setting.env} was not loaded`)
        return [name, values.get(setting)]
      })
      return Object.fromEntries(entries) as ValuesOf<S>
    },
    unknown,
    warnings: unknown.map(name => {
      const nearest = nearestName(name, known)
      return `${name} is not a variable of ${service} and has no effect${nearest === undefined ? '.' : `. Did you mean ${nearest}?`}`
    }),
    redacted: printed(all),
    changed: printed(all.filter(({ isDefault }) => !isDefault)),
  }
  refuseProblems(service, validate(loaded), undefined)
  return loaded
}

function refuseProblems(service: string, problems: readonly string[], variable: string | undefined): void {
  if (problems.length === 0) return
  const message = [`The configuration of ${service} is invalid:`, ...problems.map(problem => `- ${problem}`)].join('\n')
  throw new AppError('config_invalid', message, { service, variable })
}

/** Only this product uses these prefixes; DATABASE_URL, PORT or SALT can belong to other programs. */
const families = ['SVC_', 'COLUMNSTORE_'] as const

const unknownVariables = (env: Environment, known: readonly string[]): readonly string[] =>
  Object.keys(env)
    .filter(name => families.some(family => name.startsWith(family)) && !known.includes(name))
    .sort()
