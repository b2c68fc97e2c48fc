// Parses times as clients send them, in ISO 8601 with Z or an offset. Python clients send microseconds.

const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/

/** The earliest and the latest time that the column store can represent. */
const earliestMs = Date.UTC(1900, 0, 1)
const latestMs = Date.UTC(2299, 11, 31)

/** Returns the microseconds since the epoch. Digits beyond microseconds are dropped. Returns undefined for an invalid time. */
export function exactMicrosOf(text: string): bigint | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match
  const atMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  // `Date` would silently convert an invalid time, such as February 30 or an hour 24.
  if (new Date(atMs).toISOString().slice(0, 19) !== `${year}-${month}-${day}T${hour}:${minute}:${second.padStart(2, '0')}`) return undefined
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1)
  const utcMs = atMs - offsetMs
  if (utcMs < earliestMs || utcMs > latestMs) return undefined
  return BigInt(utcMs) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}

/** The result is exact until the year 2255. */
export function microsOf(text: string): number | undefined {
  const us = exactMicrosOf(text)
  return us === undefined ? undefined : Number(us)
}
