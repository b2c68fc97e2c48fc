// Time ranges in the form of the URL: `30m`, `24h`, `7d`, or two times separated by `..`.

export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
  readonly isRelative: boolean
}

export const defaultRange = '24h'
export const presetRanges = ['30m', '1h', '3h', '24h', '7d', '30d', '90d'] as const

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Returns undefined if the text is not a range. */
export function readRange(text: string, nowMs: number): TimeRange | undefined {
  const relative = /^(\d{1,5})([mhdw])$/.exec(text)
  if (relative !== null) return { fromMs: nowMs - Number(relative[1]) * (unitMs[relative[2]!] ?? 0), toMs: nowMs, isRelative: true }
  const [from = '', to = ''] = text.split('..')
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)]
  return Number.isNaN(fromMs) || Number.isNaN(toMs) || fromMs >= toMs ? undefined : { fromMs, toMs, isRelative: false }
}

/** Returns the default for an invalid text. */
export const rangeOrDefault = (text: string | undefined, nowMs: number): TimeRange =>
  readRange(text ?? defaultRange, nowMs) ?? readRange(defaultRange, nowMs)!

export const writeRange = (fromMs: number, toMs: number): string => `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`
