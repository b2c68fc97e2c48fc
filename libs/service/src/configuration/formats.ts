// Formats of environment variables. A format parses the text of a variable, and describes valid values for errors and tables.
import { parseCidr } from '@svc-server/http/client-address'

export interface Format<T> {
  /** Text for errors, such as "whole seconds, from 5 to 3600". */
  readonly valid: string
  /** True if the value must never be printed. */
  readonly isSecret?: boolean
  /** Returns undefined for invalid text. */
  parse(text: string): T | undefined
  /** Returns the text that an operator would write for the value. By default, this is the value as text or as JSON. */
  print?(value: T): string
}

export interface Range {
  readonly min?: number
  readonly max?: number
}

function rangeText({ min, max }: Range, print: (value: number) => string = String): string {
  if (min !== undefined && max !== undefined) return `, from ${print(min)} to ${print(max)}`
  if (min !== undefined) return `, at least ${print(min)}`
  return max === undefined ? '' : `, at most ${print(max)}`
}

const isWithin = (value: number, { min = -Infinity, max = Infinity }: Range) => value >= min && value <= max

function parseWhole(text: string, range: Range): number | undefined {
  if (!/^-?\d{1,15}$/.test(text)) return undefined
  const value = Number(text)
  return isWithin(value, range) ? value : undefined
}

const whole = (what: string, range: Range): Format<number> => ({
  valid: `${what}${rangeText(range)}`,
  parse: text => parseWhole(text, range),
})

export const integer = (range: Range = {}) => whole('a whole number', range)

export const seconds = (range: Range = {}) => whole('whole seconds', { min: 0, ...range })

export const minutes = (range: Range = {}) => whole('whole minutes', { min: 0, ...range })

/** If the value is 0, the system chooses a port. */
export const port = (): Format<number> => ({ valid: 'a port, from 0 to 65535', parse: text => parseWhole(text, { min: 0, max: 65535 }) })

/** With `isPositive`, 0 is invalid. */
export const ratio = ({ isPositive = false } = {}): Format<number> => ({
  valid: isPositive ? 'a number above 0 and at most 1' : 'a number from 0 to 1',
  parse(text) {
    const value = /^(?:0|1|0?\.\d+|1\.0+)$/.test(text) ? Number(text) : undefined
    return isPositive && value === 0 ? undefined : value
  },
})

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration in milliseconds, or with a suffix ms, s, m, h or d. */
export function durationMs(range: Range = {}): Format<number> {
  const bounds = { min: 0, ...range }
  return {
    valid: `a duration${rangeText(bounds, value => `${value} ms`)}, in milliseconds or with a unit (ms, s, m, h or d)`,
    parse(text) {
      const match = /^(\d{1,15})(ms|s|m|h|d)?$/.exec(text)
      if (match === null) return undefined
      const value = Number(match[1]) * durationUnits[match[2] ?? 'ms']!
      return Number.isSafeInteger(value) && isWithin(value, bounds) ? value : undefined
    },
  }
}

const byteUnits: Readonly<Record<string, number>> = {
  ...{ b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 },
  ...{ kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 },
}

/** Prints 67108864 as "64MiB". If the value is not a multiple of a unit, prints the number of bytes. */
export function printBytes(value: number): string {
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

/** A number of bytes (`1048576`), or a size in binary units (`64MiB`, `1.5GiB`) or decimal units (`64MB`). */
export function bytes(range: Range = {}): Format<number> {
  const bounds = { min: 0, ...range }
  return {
    valid: `a number of bytes, or a size in KiB, MiB, GiB, KB, MB or GB${rangeText(bounds, printBytes)}`,
    print: printBytes,
    parse(text) {
      const match = /^(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]i?b|b)?$/i.exec(text)
      if (match === null) return undefined
      const value = Number(match[1]) * byteUnits[(match[2] ?? 'b').toLowerCase()]!
      return Number.isSafeInteger(value) && isWithin(value, bounds) ? value : undefined
    },
  }
}

const flags: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false }

/** The value is true, false, 1 or 0. A mistyped flag must not silently get the opposite value. */
export const flag = (): Format<boolean> => ({ valid: 'true or false', parse: text => flags[text.toLowerCase()] })

export const choice = <T extends string>(values: readonly T[]): Format<T> => ({
  valid: `one of ${values.join(', ')}`,
  parse: text => values.find(value => value === text),
})

export const text = (valid = 'text', pattern?: RegExp): Format<string> => ({
  valid,
  parse: value => (pattern === undefined || pattern.test(value) ? value : undefined),
})

const entriesOf = (text: string): readonly string[] => text.split(',').flatMap(entry => (entry.trim() === '' ? [] : [entry.trim()]))

/** A comma-separated list. Blanks and empty entries are ignored. */
export const list = (valid = 'a comma-separated list'): Format<readonly string[]> => ({
  valid,
  print: values => values.join(','),
  parse: entriesOf,
})

/** Comma-separated networks in CIDR notation. */
export const cidrs = (): Format<readonly string[]> => ({
  valid: 'addresses and networks (10.0.0.0/8), comma-separated',
  print: values => values.join(','),
  parse(text) {
    const entries = entriesOf(text)
    return entries.every(entry => parseCidr(entry) !== undefined) ? entries : undefined
  },
})

/** The value is the unchanged text. When the URL is printed, its password is hidden. */
export const url = (protocols: readonly string[] = ['http', 'https']): Format<string> => ({
  valid: `a URL that starts with ${protocols.map(protocol => `${protocol}://`).join(' or ')}`,
  parse(text) {
    const parsed = URL.parse(text)
    return parsed !== null && protocols.includes(parsed.protocol.slice(0, -1)) ? text : undefined
  },
})

/** A value that is never printed, even if it is invalid. */
export const secret = (valid = 'a secret', pattern?: RegExp): Format<string> => ({ ...text(valid, pattern), isSecret: true })
