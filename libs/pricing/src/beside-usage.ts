// A count of input or output tokens (the whole) can include or exclude cache, reasoning and tool tokens (the parts), depending on the
// instrumentation. This module decides whether the count of a whole includes a part. A part that is not included is "beside" the whole
// and must be added. Instrumentations rarely report whether a part is included. The module therefore compares the reported total with the
// sums that are possible.
import { minus, plus, type Units } from './amounts.ts'
import { cell } from './usage-cells.ts'

/** Reported and derived counts. */
export interface SaidUnits {
  /** The count of each cell; 0 if the cell has no count. */
  readonly units: Units[]
  /** A bit mask. The bit of a cell is 1 if the span reports the cell's count. */
  readonly cells: number
  readonly cacheIsBeside: boolean
}

export const reasoningBeside = 1
export const cacheBeside = 2
export const toolBeside = 4
const ofInput = cacheBeside | toolBeside
/**
 * Each number is a set of the flags `reasoningBeside`, `cacheBeside` and `toolBeside`. The flag `reasoningBeside` means that the output
 * does not include the reasoning tokens. The flag `cacheBeside` means that the input does not include the cache tokens. The flag
 * `toolBeside` means that the input does not include the tool tokens. The list contains all eight sets. The sets are tried in this order,
 * and the first set that explains the total is used.
 */
const sets = [0, reasoningBeside, cacheBeside, toolBeside, 3, 5, 6, 7]

const bit = (cell: number): number => 1 << cell

/** Tokens that were read from or written to a cache. */
const cacheUnits = (units: readonly Units[]): Units =>
  plus(plus(units[cell.cached]!, units[cell.written]!), plus(units[cell.written5m]!, units[cell.written1h]!))

/**
 * Returns a bit mask of the parts (such as cached tokens) that the reported whole (input or output) does not include. If possible, also
 * derives a missing input or output.
 */
export function findBeside(said: SaidUnits): number {
  const { units, cells } = said
  const cache = cacheUnits(units)
  const isUncachedAlone = (cells & (bit(cell.input) | bit(cell.uncached))) === bit(cell.uncached)
  if (isUncachedAlone) units[cell.input] = units[cell.uncached]!
  const hasInput = isUncachedAlone || (cells & bit(cell.input)) !== 0
  const hasOutput = (cells & bit(cell.output)) !== 0
  // `wholeless` has the parts whose whole has no count. The input has two parts: cache tokens and tool tokens. The output has one part:
  // reasoning tokens. The result marks these parts as beside the whole, unless the code below derives the whole from the total.
  const wholeless = (hasInput ? 0 : ofInput) | (hasOutput ? 0 : reasoningBeside)
  const isInside =
    hasInput && !isUncachedAlone && (cells & bit(cell.uncached)) !== 0 && plus(units[cell.uncached]!, cache) === units[cell.input]
  const isBeside =
    isUncachedAlone ||
    said.cacheIsBeside ||
    cache > units[cell.input]! ||
    (cache > 0 && (cells & bit(cell.uncached)) !== 0 && units[cell.uncached] === units[cell.input])
  const forced =
    (hasInput && isBeside && !isInside ? cacheBeside : 0) |
    (hasInput && units[cell.tool]! > units[cell.input]! ? toolBeside : 0) |
    (hasOutput && units[cell.reasoning]! > units[cell.output]! ? reasoningBeside : 0)
  if ((cells & bit(cell.total)) === 0 || (!hasInput && !hasOutput)) return forced | wholeless
  const total = units[cell.total]!
  const wholes = plus(units[cell.input]!, units[cell.output]!)
  const besides = (set: number): Units =>
    plus(
      plus((set & cacheBeside) === 0 ? 0 : cache, (set & toolBeside) === 0 ? 0 : units[cell.tool]!),
      (set & reasoningBeside) === 0 ? 0 : units[cell.reasoning]!,
    )
  for (let i = 0; i < sets.length; i++) {
    const set = sets[i]! | forced
    if (isInside && (set & cacheBeside) !== 0) continue
    if (plus(wholes, besides(set)) === total) return set | wholeless
  }
  const known = plus(wholes, besides(forced))
  if (hasInput === hasOutput || total <= known) return forced | wholeless
  // Only the input or only the output was reported, so the other count is the rest of the total. The other count is
  // not set if the rest is smaller than the parts of this count that the span reports, such as reasoning tokens.
  const rest = minus(total, known)
  if (hasInput) {
    if (units[cell.reasoning]! > rest) return forced | wholeless
    units[cell.output] = rest
  } else {
    if (plus(cache, units[cell.tool]!) > rest) return forced | wholeless
    units[cell.input] = rest
  }
  return forced
}
