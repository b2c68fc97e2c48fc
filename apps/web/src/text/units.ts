// Formats numbers, times and money with Intl, in the chosen time zone.
import { browserZone, zoneName } from './zone.ts'

const locale = 'en-US'
const whole = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

export const count = (value: number): string => whole.format(value)

/** Numbers from ten thousand on are abbreviated as in `12.3K`. */
export const shortCount = (value: number): string => (Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value))

const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
export const percent = (value: number): string => share.format(value)

/** Returns, for example, `340 ms`, `3.20 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1) return ms === 0 ? '0 ms' : '<1 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Amounts below a cent have six digits, to show the price of a single call. */
export function cost(dollars: number): string {
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 4 : 6
  return `$${dollars.toFixed(digits)}`
}

const bytesUnits = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

export function bytes(value: number): string {
  let [size, at] = [value, 0]
  while (size >= 1_000 && at < bytesUnits.length - 1) [size, at] = [size / 1_000, at + 1]
  return `${at === 0 ? size : size.toFixed(1)} ${bytesUnits[at]}`
}

const formats = new Map<string, Intl.DateTimeFormat>()
function format(name: string, options: Intl.DateTimeFormatOptions, zone = zoneName()): Intl.DateTimeFormat {
  const key = `${name} ${zone}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
  formats.set(key, made)
  return made
}

type When = number | string
const dateOf = (when: When) => new Date(when)

/** `16:02:11` */
export const timeOfDay = (when: When): string =>
  format('time', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(dateOf(when))

/** `26 Nov 16:02:11` */
export const dayAndTime = (when: When, zone = zoneName()): string =>
  format('both', { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' }, zone)
    .format(dateOf(when))
    .replace(',', '')

/** `26 Nov 16:02` */
export const dayAndMinute = (when: When): string =>
  format('minute', { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' }).format(dateOf(when)).replace(',', '')

/** A time for tooltips: in the chosen zone, in the browser's zone (if different), and in ISO 8601. */
export const everyForm = (when: When): string => {
  const zones = [...new Set([zoneName(), browserZone()])]
  return [...zones.map(zone => `${dayAndTime(when, zone)} ${zone}`), dateOf(when).toISOString()].join('\n')
}
