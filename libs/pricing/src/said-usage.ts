// Collects the counts that a span reports. Each kind of count, such as input or cached input, has a cell (an index into `usageCells`). The
// same `SaidUsage` object serves all spans, so that counting allocates no memory.
import type { Units } from './amounts.ts'
import { usageCells } from './usage-cells.ts'

export class SaidUsage {
  /** The count of each cell. If `cells` lacks the bit of a cell, the count of this cell is not valid. */
  readonly units: Units[] = usageCells.map(() => 0)
  /** For each count, the index of the span attribute that contained it, or -1. */
  readonly sources = new Int32Array(usageCells.length)
  /** Bits of the reported cells. */
  cells = 0
  /**
   * True if the instrumentation is known to exclude cache reads and writes from the input count, even if the counts alone do not show this.
   */
  cacheIsBeside = false

  /** Has the bit of each cell that contains a count of billed tokens. `say` prefers such a count. */
  #billed = 0

  clear(): void {
    this.cells = 0
    this.#billed = 0
    this.cacheIsBeside = false
  }

  has(cell: number): boolean {
    return (this.cells & (1 << cell)) !== 0
  }

  /**
   * Records a count that the span reports for a cell. If the span reports two counts for the cell, the billed count is used. If neither
   * count is billed, the larger one is used, because the smaller one must lack some tokens.
   */
  say(cell: number, units: Units, source = -1, isBilled = false): void {
    const wasBilled = (this.#billed & (1 << cell)) !== 0
    if (isBilled && !wasBilled) {
      this.#billed |= 1 << cell
      this.#put(cell, units, source)
    } else if (isBilled === wasBilled && (!this.has(cell) || this.units[cell]! < units)) this.#put(cell, units, source)
  }

  /** Sets the cell's count only if the cell has no count yet. An earlier count comes from a better source, so it is kept. */
  fill(cell: number, units: Units, source = -1): void {
    if (!this.has(cell)) this.#put(cell, units, source)
  }

  #put(cell: number, units: Units, source: number): void {
    this.cells |= 1 << cell
    this.units[cell] = units
    this.sources[cell] = source
  }
}
