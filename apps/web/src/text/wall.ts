// Converts between times and the local clock of a zone.
import { zoneName } from './zone.ts'

const dayMs = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const digits = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, calendar: 'gregory', hourCycle: 'h23', year: 'numeric', ...digits })
  formats.set(zone, made)
  return made
}

/** Returns what a clock in the zone shows at the time `ms`. The result is in milliseconds since 1970, as if the clock showed UTC. */
export function wallOf(ms: number, zone = zoneName()): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1_000) + 1_000) % 1_000)
}

/**
 * Returns the time at which the clock shows `wall`. If the clock skips `wall`, the result is the time at which the clock is set forward.
 */
export function momentOf(wall: number, zone = zoneName()): number {
  const offsetNear = (at: number) => wallOf(at, zone) - at
  const candidates = [wall - offsetNear(wall - dayMs), wall - offsetNear(wall + dayMs)] as const
  const found = candidates.find(at => wallOf(at, zone) === wall)
  if (found !== undefined) return found
  let [before, after] = [Math.min(candidates[0], candidates[1]) - dayMs, Math.max(candidates[0], candidates[1])]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallOf(middle, zone) < wall) before = middle
    else after = middle
  }
  return after
}

/** Returns the value of a `datetime-local` field that shows the time `ms`. */
export const fieldOf = (ms: number): string => new Date(wallOf(ms)).toISOString().slice(0, 16)
/** Returns the time in a `datetime-local` field, in milliseconds since the epoch; NaN if the field contains no time. */
export function readField(value: string): number {
  const wall = Date.parse(`${value}Z`)
  return Number.isNaN(wall) ? wall : momentOf(wall)
}

/**
 * Returns the edges of buckets: the start of each bucket, and the end of the last bucket. A day bucket begins at midnight. A day bucket is
 * not 24 hours long if the clock changes on this day. An edge has the time `ms`, and what the zone's clock shows at this time (`wall`). For
 * buckets shorter than a day, `wall` is exact only if the clock does not change between `fromMs` and the edge.
 */
export function edgesOf(fromMs: number, toMs: number, stepMs: number): readonly { readonly ms: number; readonly wall: number }[] {
  const first = Math.floor(wallOf(fromMs) / stepMs) * stepMs
  const isDay = stepMs >= dayMs
  const offset = wallOf(fromMs) - fromMs
  const edges: { ms: number; wall: number }[] = []
  for (let wall = first; ; wall += stepMs) {
    const ms = isDay ? momentOf(wall) : wall - offset
    edges.push({ ms, wall })
    if (ms >= toMs) return edges
  }
}
