// Building blocks of configuration schemas. Each knows its unit and range, so that errors and README tables can say them.
import { z } from 'zod'
import { parseCidr } from '../http/client-address.ts'
import { hidden } from '../text/secrets.ts'

/** What a block tells about itself; read by error messages and tables. */
export interface BlockMeta {
  /** What is valid, as it stands in an error: "whole seconds, 5 to 3600". */
  readonly valid: string
  /** The value is never printed. */
  readonly secret?: boolean
  /** Prints a value (a default) the way an operator would write it. */
  readonly print?: (value: unknown) => string
}

export interface Range {
  readonly min?: number
  readonly max?: number
}

const rangeText = ({ min, max }: Range, print: (value: number) => string = String): string => {
  if (min !== undefined && max !== undefined) return `, ${print(min)} to ${print(max)}`
  if (min !== undefined) return `, ${print(min)} or more`
  return max === undefined ? '' : `, ${print(max)} or less`
}

const inRange = (value: number, { min = -Infinity, max = Infinity }: Range) => value >= min && value <= max

/** A block from a function that returns `undefined` for text it does not accept. */
const block = <T>(meta: BlockMeta, parse: (text: string) => T | undefined) =>
  z
    .string()
    .transform((text, context): T => {
      const value = parse(text)
      if (value !== undefined) return value
      context.addIssue({ code: 'custom', message: `expected ${meta.valid}` })
      return z.NEVER
    })
    .meta({ ...meta })

const parseWhole = (text: string, range: Range): number | undefined => {
  if (!/^-?\d{1,15}$/.test(text)) return undefined
  const value = Number(text)
  return inRange(value, range) ? value : undefined
}

/** A whole number. */
export const integer = (range: Range = {}) => block({ valid: `a whole number${rangeText(range)}` }, text => parseWhole(text, range))

/** A number between 0 and 1. */
export const ratio = () =>
  block({ valid: 'a number from 0 to 1' }, text => (/^(?:0|1|0?\.\d+|0\.\d+|1\.0+)$/.test(text) ? Number(text) : undefined))

/** A TCP port; 0 lets the system choose one. */
export const port = () => block({ valid: 'a port, 0 to 65535' }, text => parseWhole(text, { min: 0, max: 65535 }))

/** Whole seconds. */
export const seconds = (range: Range = {}) =>
  block({ valid: `whole seconds${rangeText({ min: 0, ...range })}` }, text => parseWhole(text, { min: 0, ...range }))

/** Whole minutes. */
export const minutes = (range: Range = {}) =>
  block({ valid: `whole minutes${rangeText({ min: 0, ...range })}` }, text => parseWhole(text, { min: 0, ...range }))

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds; a suffix ms, s, m, h or d is accepted. */
export const durationMs = (range: Range = {}) =>
  block({ valid: `milliseconds (or with ms, s, m, h, d)${rangeText({ min: 0, ...range })}` }, text => {
    const match = /^(\d{1,15})(ms|s|m|h|d)?$/.exec(text)
    if (match === null) return undefined
    const value = Number(match[1]) * durationUnits[match[2] ?? 'ms']!
    return Number.isSafeInteger(value) && inRange(value, { min: 0, ...range }) ? value : undefined
  })

const byteUnits: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

/** 67108864 → "64MiB"; what is no round number stays a number. */
export const printBytes = (value: number): string => {
  for (const [unit, size] of [
    ['TiB', 1024 ** 4],
    ['GiB', 1024 ** 3],
    ['MiB', 1024 ** 2],
    ['KiB', 1024],
  ] as const) {
    if (value >= size && value % size === 0) return `${value / size}${unit}`
  }
  return String(value)
}

/** A size in bytes: `1048576`, `64MiB`, `1.5GiB`, `64MB` (decimal). */
export const bytes = (range: Range = {}) => {
  const bounds = { min: 0, ...range }
  const meta = {
    valid: `bytes (or with KiB, MiB, GiB, KB, MB, GB)${rangeText(bounds, printBytes)}`,
    print: (value: unknown) => printBytes(Number(value)),
  }
  return block(meta, text => {
    const match = /^(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]i?b|b)?$/i.exec(text)
    if (match === null) return undefined
    const value = Number(match[1]) * byteUnits[(match[2] ?? 'b').toLowerCase()]!
    return Number.isSafeInteger(value) && inRange(value, bounds) ? value : undefined
  })
}

const flags: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false }

/** true or false (1 or 0); anything else is an error, since a mistyped flag must not be the other one. */
export const flag = () => block({ valid: 'true or false' }, text => flags[text.toLowerCase()])

/** One of a few words, exactly. */
export const choice = <const T extends readonly string[]>(values: T) =>
  block<T[number]>({ valid: `one of ${values.join(', ')}` }, text => values.find(value => value === text))

/** Text as it is. */
export const text = (valid = 'text', pattern?: RegExp) =>
  block({ valid }, value => (pattern === undefined || pattern.test(value) ? value : undefined))

/** Comma-separated text, trimmed, without empty entries. */
export const list = (valid = 'a comma-separated list') =>
  block<readonly string[]>({ valid, print: value => (value as readonly string[]).join(',') }, value =>
    value
      .split(',')
      .map(entry => entry.trim())
      .filter(entry => entry !== ''),
  )

/** Addresses and networks in CIDR notation, comma-separated. */
export const cidrs = () =>
  block<readonly string[]>(
    { valid: 'addresses and networks (10.0.0.0/8), comma-separated', print: value => (value as readonly string[]).join(',') },
    value => {
      const entries = value.split(',').flatMap(entry => (entry.trim() === '' ? [] : [entry.trim()]))
      return entries.every(entry => parseCidr(entry) !== undefined) ? entries : undefined
    },
  )

/** A URL with one of the protocols, as it was written. Its password is hidden where it is printed. */
export const url = (protocols: readonly string[] = ['http', 'https']) =>
  block({ valid: `a URL that starts with ${protocols.map(protocol => `${protocol}://`).join(' or ')}` }, value => {
    const parsed = URL.parse(value)
    return parsed !== null && protocols.includes(parsed.protocol.slice(0, -1)) ? value : undefined
  })

/** A value that is never printed, not even when it is wrong. */
export const secret = (valid = 'a secret', pattern?: RegExp) =>
  block({ valid, secret: true, print: () => hidden }, value => (pattern === undefined || pattern.test(value) ? value : undefined))
