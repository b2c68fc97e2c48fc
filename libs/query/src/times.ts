import { exactMicrosOf } from '@svc-server/api/fields/times'

/** Returns microseconds since the epoch. The text must have been checked before. Throws TypeError for an invalid text. */
export function checkedMicrosOf(text: string): bigint {
  const us = exactMicrosOf(text)
  if (us === undefined) throw new TypeError(`${JSON.stringify(text)} is not a time`)
  return us
}

export const isoOfMillis = (ms: number): string => new Date(ms).toISOString()

const floorOf = (us: bigint, unit: bigint): bigint => us / unit - (us < 0n && us % unit !== 0n ? 1n : 0n)

/** Returns ISO 8601 text, truncated to milliseconds. */
export const isoOfMicros = (us: bigint): string => isoOfMillis(Number(floorOf(us, 1_000n)))

/** Returns text in UTC, in the column store's format: `2026-01-31 23:59:59.000001`. */
export function textOfMicros(us: bigint): string {
  const seconds = floorOf(us, 1_000_000n)
  const second = isoOfMillis(Number(seconds) * 1_000)
    .slice(0, 19)
    .replace('T', ' ')
  return `${second}.${String(us - seconds * 1_000_000n).padStart(6, '0')}`
}
