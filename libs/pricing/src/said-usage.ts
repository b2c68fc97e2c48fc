// The counts that a span says, by what they count. Filled again for every span: counting allocates nothing.
import type { Units } from './amounts.ts'
import { usageCells } from './usage-cells.ts'

export class SaidUsage {
  /** By cell; void where `cells` has not its bit. */
  readonly units: Units[] = usageCells.map(() => 0)
  /** Who said it: an entry of the span's attributes, or -1. */
  readonly sources = new Int32Array(usageCells.length)
  /** A bit for each cell that is said. */
  cells = 0
  /** Input is counted without what the cache gave and took, whatever the numbers look like. */
  cacheIsBeside = false

  clear(): void {
    this.cells = 0
    this.cacheIsBeside = false
  }

  has(cell: number): boolean {
    return (this.cells & (1 << cell)) !== 0
  }

  /** Of one thing that is said twice the larger count: the other one leaves something out. */
  say(cell: number, units: Units, source = -1): void {
    if (!this.has(cell) || this.units[cell]! < units) this.#put(cell, units, source)
  }

  /** What nobody has said better. */
  fill(cell: number, units: Units, source = -1): void {
    if (!this.has(cell)) this.#put(cell, units, source)
  }

  #put(cell: number, units: Units, source: number): void {
    this.cells |= 1 << cell
    this.units[cell] = units
    this.sources[cell] = source
  }
}
