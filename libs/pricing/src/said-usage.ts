// A span's reported counts by cell, in one object for all spans, so that counting allocates no memory.
import type { Units } from './amounts.ts'
import { usageCells } from './usage-cells.ts'

export class SaidUsage {
  /** Valid only if `cells` has the cell's bit. */
  readonly units: Units[] = usageCells.map(() => 0)
  /** For each count, the index of its span attribute, or -1. */
  readonly sources = new Int32Array(usageCells.length)
  /** Bits of the reported cells. */
  cells = 0
  /** The input count excludes cache reads and writes, whatever the numbers suggest. */
  cacheIsBeside = false

  /** Bits of the cells whose counts the provider bills. */
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
   * Of two counts of a cell, the billed one is used. If neither is billed, the larger one is used, because the smaller one must lack some
   * tokens.
   */
  say(cell: number, units: Units, source = -1, isBilled = false): void {
    const wasBilled = (this.#billed & (1 << cell)) !== 0
    if (isBilled && !wasBilled) {
      this.#billed |= 1 << cell
      this.#put(cell, units, source)
    } else if (isBilled === wasBilled && (!this.has(cell) || this.units[cell]! < units)) this.#put(cell, units, source)
  }

  /** Unless a better source has reported the cell before. */
  fill(cell: number, units: Units, source = -1): void {
    if (!this.has(cell)) this.#put(cell, units, source)
  }

  #put(cell: number, units: Units, source: number): void {
    this.cells |= 1 << cell
    this.units[cell] = units
    this.sources[cell] = source
  }
}
