// A setting declares its variable, default, unit, range, and description once. Types, error messages, `--help` and README tables are
// derived from these declarations.
import { hidden, isSecretName, redactText } from '../text/secrets.ts'
import * as formats from './formats.ts'

/**
 * `embedded`: the service shares a process with other services and uses embedded stores. `remote`: the service has its own process, and its
 * stores are servers.
 */
export type Profile = 'embedded' | 'remote'

type Default = string | number | boolean

export interface Entry {
  readonly env: string
  /** A description, in sentences. */
  readonly says: string
  /** The default as an operator would write it, or one default per profile. */
  readonly default?: Default | Readonly<Record<Profile, Default>>
  /** An unset optional setting is undefined. Any other setting without a default is mandatory. */
  readonly optional?: true
}

export interface Setting<T> {
  readonly env: string
  readonly says: string
  /** Describes the valid values in errors, for example as "whole seconds, 5 to 3600". */
  readonly valid: string
  readonly isSecret: boolean
  readonly isRequired: boolean
  /** Maps each profile to the setting's default in this profile, in the form in which an operator would write the value. */
  readonly defaults: Readonly<Partial<Record<Profile, string>>>
  /** Value of an unset optional setting. */
  readonly absent: T
  /** Returns the value and its printed form, in which secrets are masked. Returns undefined for invalid text. */
  read(text: string): { readonly value: T; readonly printed: string } | undefined
}

export type Settings = Readonly<Record<string, Setting<unknown>>>
export type ValuesOf<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never }

type ValueOf<E extends Entry, T> = E extends { readonly optional: true } ? T | undefined : T

function defaultsOf({ default: given }: Entry): Setting<unknown>['defaults'] {
  if (given === undefined) return {}
  const of = (profile: Profile) => String(typeof given === 'object' ? given[profile] : given)
  return { embedded: of('embedded'), remote: of('remote') }
}

const printPlain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function settingOf<T, E extends Entry>(format: formats.Format<T>, entry: E): Setting<ValueOf<E, T>> {
  const isSecret = format.isSecret === true || isSecretName(entry.env)
  const print = format.print ?? printPlain
  return {
    env: entry.env,
    says: entry.says,
    valid: format.valid,
    isSecret,
    isRequired: entry.default === undefined && entry.optional === undefined,
    defaults: defaultsOf(entry),
    // This type assertion is safe: only an optional setting uses `absent`, and the type of an optional setting includes undefined.
    absent: undefined as ValueOf<E, T>,
    read(text) {
      const value = format.parse(text)
      if (value === undefined) return undefined
      return { value: value as ValueOf<E, T>, printed: isSecret ? hidden : redactText(print(value)) }
    },
  }
}

type Pattern = { readonly valid?: string; readonly pattern?: RegExp }

/** Factories, one per format. A factory takes the options of the format and the properties of the setting in one object. */
export const setting = {
  integer: <const E extends Entry & formats.Range>(entry: E) => settingOf(formats.integer(rangeOf(entry)), entry),
  seconds: <const E extends Entry & formats.Range>(entry: E) => settingOf(formats.seconds(rangeOf(entry)), entry),
  minutes: <const E extends Entry & formats.Range>(entry: E) => settingOf(formats.minutes(rangeOf(entry)), entry),
  durationMs: <const E extends Entry & formats.Range>(entry: E) => settingOf(formats.durationMs(rangeOf(entry)), entry),
  bytes: <const E extends Entry & formats.Range>(entry: E) => settingOf(formats.bytes(rangeOf(entry)), entry),
  port: <const E extends Entry>(entry: E) => settingOf(formats.port(), entry),
  ratio: <const E extends Entry & { readonly isPositive?: boolean }>(entry: E) => settingOf(formats.ratio(entry), entry),
  flag: <const E extends Entry>(entry: E) => settingOf(formats.flag(), entry),
  choice: <const T extends string, const E extends Entry>(values: readonly T[], entry: E) => settingOf(formats.choice(values), entry),
  text: <const E extends Entry & Pattern>(entry: E) => settingOf(formats.text(entry.valid, entry.pattern), entry),
  list: <const E extends Entry & { readonly valid?: string }>(entry: E) => settingOf(formats.list(entry.valid), entry),
  cidrs: <const E extends Entry>(entry: E) => settingOf(formats.cidrs(), entry),
  url: <const E extends Entry & { readonly protocols?: readonly string[] }>(entry: E) => settingOf(formats.url(entry.protocols), entry),
  secret: <const E extends Entry & Pattern>(entry: E) => settingOf(formats.secret(entry.valid, entry.pattern), entry),
}

const rangeOf = ({ min, max }: formats.Range): formats.Range => ({ ...(min !== undefined && { min }), ...(max !== undefined && { max }) })

/** Returns the setting with a value that is converted by `map`. The variable and its allowed texts stay unchanged. */
export const mapped = <T, U>(from: Setting<T>, map: (value: T) => U): Setting<U> => ({
  ...from,
  absent: from.isRequired || from.defaults.remote !== undefined ? (undefined as U) : map(from.absent),
  read(text) {
    const found = from.read(text)
    return found && { value: map(found.value), printed: found.printed }
  },
})
