// Converts clients' times for stores that compare microseconds.
import { microsOf } from '@svc-server/api/fields/times'

/** The caller must have checked that `time` is valid. */
export function toMicrosecondIso(time: string): string {
  const us = microsOf(time)!
  const ms = Math.floor(us / 1000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1000).padStart(3, '0')}Z`
}
