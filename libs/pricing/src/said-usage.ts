// The counts that a span reports, by cell. One object is reused for every span, so that counting allocates no memory.
import type { Units } from './amounts.ts'
import { usageCells } from './usage-cells.ts'

export class SaidUsage {
  /** Counts by cell. A count is meaningless if `cells` lacks the bit of its cell. */
  readonly units: Units[] = usageCells.map(() => 0)
  /** For each count, the index of the span attribute that it came from, or -1. */
  readonly sources = new Int32Array(usageCells.length)
  /** One bit per reported cell. */
  cells = 0
  /** True if the input count excludes cache reads and writes, whatever the numbers suggest. */
  cacheIsBeside = false

  clear(): void {
    this.cells = 0
    this.cacheIsBeside = false
  }

  has(cell: number): boolean {
    return (this.cells & (1 << cell)) !== 0
  }

  /** Sets the count of a cell. If a span reports a cell twice, the larger count is used, because the smaller count omits tokens. */
  say(cell: number, units: Units, source = -1): void {
    if (!this.has(cell) || this.units[cell]! < units) this.#put(cell, units, source)
  }

  /** Sets the count of a cell, unless a better source has already reported the cell. */
  fill(cell: number, units: Units, source = -1): void {
    if (!this.has(cell)) this.#put(cell, units, source)
  }

  #put(cell: number, units: Units, source: number): void {
    this.cells |= 1 << cell
    this.units[cell] = units
    this.sources[cell] = source
  }
}
