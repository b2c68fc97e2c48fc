// Parses clients' times to the microsecond. Date.parse alone is limited to milliseconds, accepts almost any text, and reads a
// time without a zone in the machine's zone.

/** The latest time that a column can store. */
export const maxTimeUs = 253_402_300_799 * 1e6

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * Converts an ISO 8601 time to microseconds since the epoch; a time without a zone is in UTC. Returns undefined for an invalid time and for
 * a time outside the column's range.
 */
export function microsOfIso(text: string): number | undefined {
  const match = iso.exec(text.trim())
  if (match === null) return undefined
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = match
  const ms = Date.parse(`${day}T${time}${zoneText(zone)}`)
  const us = ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
  return us >= 0 && us <= maxTimeUs ? us : undefined
}

/** `+02` and `+0200` are rewritten to `+02:00`, the only form that every parser supports. */
const zoneText = (zone: string): string =>
  /^z$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '').padEnd(2, '0')}`
