// Parses clients' times to the microsecond. Date.parse is limited to milliseconds, accepts almost any text, and reads a time without a zone
// in the machine's zone.

export const maxTimeUs = 253_402_300_799 * 1e6

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** Reads ISO 8601; a time without a zone is in UTC. Returns undefined for an invalid time, and for a time that the column cannot store. */
export function microsOfIso(text: string): number | undefined {
  const match = iso.exec(text.trim())
  if (match === null) return undefined
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = match
  const ms = Date.parse(`${day}T${time}${zoneText(zone)}`)
  const us = ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
  return us >= 0 && us <= maxTimeUs ? us : undefined
}

/** Converts `+02` and `+0200` to `+02:00`, because not every parser accepts the short forms. */
const zoneText = (zone: string): string =>
  /^z$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '').padEnd(2, '0')}`
