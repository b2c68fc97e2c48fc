// Combines the ledger's faults with the spans that the tables lack.
import type { LedgerFault } from '../audit.ts'
import type { OpenRange } from './progress.ts'

/**
 * Counts the spans that are missing from the ledger, from the tables, or from both. Each span is counted once. For a range with a ledger
 * fault, the ledger and the tables can give different numbers of missing spans. The larger number counts.
 */
export function unaccountedSpans(faults: readonly LedgerFault[], missing: readonly OpenRange[]): number {
  let left = missing.flatMap(({ runs }) => runs)
  let total = 0
  for (const fault of faults) {
    const within = left.filter(({ first, last }) => first >= fault.first && last <= fault.last)
    left = left.filter(run => !within.includes(run))
    total += Math.max(fault.spans, sumOf(within))
  }
  return total + sumOf(left)
}

const sumOf = (runs: readonly { readonly spans: number }[]) => runs.reduce((sum, { spans }) => sum + spans, 0)

/**
 * Removes the offset `end` and all later offsets from the ranges of missing spans. A range that becomes shorter keeps the number of missing
 * spans of the whole range, until the next check counts again.
 */
export function cutOpen(open: readonly OpenRange[], end: number): readonly OpenRange[] {
  return open
    .filter(({ first }) => first < end)
    .map(range => {
      if (range.last < end) return range
      const { first, spans, example, sinceMs, table } = range
      const cut = { first, last: end - 1, spans }
      return { ...cut, runs: [cut], example, sinceMs, ...(table === undefined ? {} : { table }) }
    })
}

/**
 * Returns the lost items of an open range, or null if there are none. A run is a range of adjacent records with missing items. A missing
 * item counts as lost if retention has deleted records of the item's run, and if the item's own record no longer exists. The audit
 * knows how many spans of a run are missing, but not which ones. If a span was stored after the audit had counted it as missing, the audit
 * cannot tell that this span is now stored, so the result can include the span. Ends of `gone` are exclusive.
 */
export function lostOf(
  range: OpenRange,
  gone: readonly (readonly [from: number, until: number])[],
  still: readonly OpenRange[],
): OpenRange | null {
  const left = still.flatMap(({ runs }) => runs)
  const runs = range.runs
    .filter(({ first, last }) => gone.some(([from, until]) => first < until && last >= from))
    .map(run => ({ ...run, spans: run.spans - sumOf(left.filter(({ first, last }) => first <= run.last && last >= run.first)) }))
    .filter(({ spans }) => spans > 0)
  if (runs.length === 0) return null
  return { ...range, first: runs[0]!.first, last: runs.at(-1)!.last, spans: sumOf(runs), runs }
}

const maxOpen = 500

/**
 * If there are too many ranges, joins each pair of neighbors into one range. The audit then also checks the offsets between the two ranges.
 */
export function joined(open: readonly OpenRange[]): readonly OpenRange[] {
  if (open.length <= maxOpen) return open
  const sorted = [...open].sort((a, b) => a.first - b.first)
  return Array.from({ length: Math.ceil(sorted.length / 2) }, (_, i) => {
    const one = sorted[2 * i]!
    const other = sorted[2 * i + 1]
    if (other === undefined) return one
    const range = { first: one.first, last: Math.max(one.last, other.last), spans: one.spans + other.spans }
    const { example, table } = one
    return { ...range, runs: [range], example, sinceMs: Math.min(one.sinceMs, other.sinceMs), ...(table === undefined ? {} : { table }) }
  })
}
