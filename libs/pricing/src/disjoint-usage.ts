// Counts that a span says, made disjoint: each token is in one key, and the keys add up to the total. One
// whole is broken down in several ways; which of them a row shows follows from what the model has prices for.
import { type Amounts, minus, plus, type Units } from './amounts.ts'
import { cacheBeside, findBeside, reasoningBeside, type SaidUnits, toolBeside } from './beside-usage.ts'
import type { SaidUsage } from './said-usage.ts'
import { cell, cellsOfModalities, maxUsage, unexplained, usageCells } from './usage-cells.ts'

/** Usage keys that cost something else than what they are a part of; null: nobody knows the model. */
export type OwnPrices = ReadonlySet<string> | null

const inputModalities = cellsOfModalities('input')
const cachedModalities = cellsOfModalities('input_cached')
const outputModalities = cellsOfModalities('output')

/** The place of the lowest bit. */
const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits)

const bitsOf = (cells: readonly number[]): number => cells.reduce((bits, each) => bits | (1 << each), 0)
const wholesAlone = bitsOf([cell.input, cell.output, cell.total])
const bothBits = bitsOf(cachedModalities)
const textBits = bitsOf([inputModalities[0]!, cachedModalities[0]!, outputModalities[0]!])
const lifetimeBits = bitsOf([cell.written5m, cell.written1h])

/** The order in which parts are taken out of their whole: what says more comes before what says less. */
const cacheParts = [...cachedModalities, cell.written5m, cell.written1h, cell.written, cell.cached]
const inputParts = [...cacheParts, ...inputModalities, cell.tool]
const outputParts = [...outputModalities, cell.reasoning, cell.accepted, cell.rejected]

/** One for all: its numbers are filled again for every span. */
class Disjoint implements SaidUnits {
  readonly units: Units[] = usageCells.map(() => 0)
  cells = 0
  cacheIsBeside = false
  #own: OwnPrices = null
  /** What is in keys already, by cell, and a bit for each of them. */
  readonly #keys: Units[] = usageCells.map(() => 0)
  #taken = 0
  /** What of a whole is not in a key yet. */
  #pool: Units = 0

  of(said: SaidUsage, own: OwnPrices, into: Amounts): void {
    into.clear()
    if (said.cells === 0) return
    this.#own = own
    this.#taken = 0
    // Nothing is left of the last span: cells that it said, and those that followed from them.
    this.units.fill(0)
    this.cells = said.cells
    this.cacheIsBeside = said.cacheIsBeside
    for (let bits = said.cells; bits !== 0; bits &= bits - 1) this.units[lowest(bits)] = said.units[lowest(bits)]!
    const beside = (said.cells & ~wholesAlone) === 0 && (said.cells & (1 << cell.total)) === 0 ? 0 : this.#findBeside()
    this.#side(cell.input, inputParts, beside)
    this.#side(cell.output, outputParts, beside)
    this.#write(into)
  }

  #findBeside(): number {
    const { units } = this
    if ((this.cells & lifetimeBits) !== 0) {
      const lifetimes = plus(units[cell.written5m]!, units[cell.written1h]!)
      units[cell.written] = units[cell.written]! > lifetimes ? minus(units[cell.written]!, lifetimes) : 0
    }
    if ((this.cells & bothBits) !== 0) {
      let cached: Units = 0
      for (let i = 0; i < cachedModalities.length; i++) cached = plus(cached, units[cachedModalities[i]!]!)
      if (cached > units[cell.cached]!) units[cell.cached] = cached
    }
    const beside = findBeside(this)
    if ((this.cells & bothBits) !== 0 && (beside & cacheBeside) === 0) this.#separateCached()
    return beside
  }

  /** Where the cache is shown as one, what of a modality came from it is no longer the modality's. */
  #separateCached(): void {
    const own = this.#own
    if (own === null || !own.has(usageCells[cell.cached]!)) return
    for (let i = 0; i < cachedModalities.length; i++) {
      const both = cachedModalities[i]!
      if (!own.has(usageCells[both]!)) this.#outOf(inputModalities[i]!, this.units[both]!)
    }
  }

  #side(whole: number, parts: readonly number[], beside: number): void {
    this.#pool = this.units[whole]!
    const hasWhole =
      (this.cells & (1 << whole)) !== 0 || this.#pool > 0 || (whole === cell.input && (this.cells & (1 << cell.uncached)) !== 0)
    // Those with a price of their own first; of a model that nobody knows all are alike.
    const rounds = (this.cells & ~wholesAlone) === 0 ? 0 : this.#own === null ? 1 : 2
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < parts.length; i++) {
        const part = parts[i]!
        if (!this.#isAsked(part, round === 0)) continue
        if (isBeside(part, beside) || !hasWhole) this.#putBeside(part)
        else this.#take(part)
      }
    }
    if (hasWhole) this.#put(whole, this.#pool)
  }

  /** The part is said, is no key yet, and its turn is in this round. */
  #isAsked(part: number, own: boolean): boolean {
    const bit = 1 << part
    if ((this.#taken & bit) !== 0 || ((this.cells & bit) === 0 && this.units[part] === 0)) return false
    if (this.#own === null) return own && (textBits & bit) === 0
    if (this.#own.has(usageCells[part]!)) return own
    // What has no price of its own, and that its whole shows already, says nothing more.
    return !own && ((textBits | bothBits) & bit) === 0
  }

  #putBeside(part: number): void {
    const units = this.units[part]!
    if ((bothBits & (1 << part)) !== 0) this.#outOf(cell.cached, units)
    this.#put(part, units)
  }

  /** Out of the whole, where it fits. */
  #take(part: number): void {
    const units = this.units[part]!
    const isBoth = (bothBits & (1 << part)) !== 0
    if (units <= this.#pool) {
      // Tokens of a modality that came from the cache are in the wholes of both.
      if (isBoth) {
        this.#outOf(cell.cached, units)
        this.#outOf(inputModalities[cachedModalities.indexOf(part)]!, units)
      }
      this.#pool = minus(this.#pool, units)
      this.#put(part, units)
    } else if (!isBoth) this.#takeOverlapping(part, units)
  }

  #outOf(part: number, units: Units): void {
    const before = this.units[part]!
    this.units[part] = before > units ? minus(before, units) : 0
  }

  /**
   * More of a modality than is left of the input: what is too much came from the cache, where that is enough.
   */
  #takeOverlapping(part: number, units: Units): void {
    const place = inputModalities.indexOf(part)
    const cached = (this.#taken & (1 << cell.cached)) === 0 ? 0 : this.#keys[cell.cached]!
    const more = minus(units, this.#pool)
    if (place < 0 || cached < more) return
    const both = cachedModalities[place]!
    if ((this.#own === null || this.#own.has(usageCells[both]!)) && (this.#taken & (1 << both)) === 0) {
      this.#keys[cell.cached] = minus(cached, more)
      this.#put(both, more)
    }
    this.#put(part, this.#pool)
    this.#pool = 0
  }

  #put(part: number, units: Units): void {
    this.#taken |= 1 << part
    this.#keys[part] = units
  }

  /** A total that is said holds where it is at least what the keys add up to. */
  #write(into: Amounts): void {
    let sum: Units = 0
    for (let bits = this.#taken; bits !== 0; bits &= bits - 1) sum = plus(sum, this.#keys[lowest(bits)]!)
    const total = this.units[cell.total]!
    const more = this.#taken !== 0 && total > sum
    if ((this.cells & (1 << cell.total)) !== 0 && sum <= maxUsage) this.#put(cell.total, total > sum ? total : sum)
    for (let bits = this.#taken; bits !== 0; bits &= bits - 1) into.add(usageCells[lowest(bits)]!, this.#keys[lowest(bits)]!)
    if (more) into.add(unexplained, minus(total, sum))
  }
}

const cacheBits = bitsOf(cacheParts)

function isBeside(part: number, beside: number): boolean {
  if ((cacheBits & (1 << part)) !== 0) return (beside & cacheBeside) !== 0
  if (part === cell.tool) return (beside & toolBeside) !== 0
  return part === cell.reasoning && (beside & reasoningBeside) !== 0
}

const disjoint = new Disjoint()

/**
 * Fills `into` with disjoint keys; with their `total` where one is said. Counts beyond UInt64 are the
 * caller's to leave out.
 */
export const disjointUsage = (said: SaidUsage, own: OwnPrices, into: Amounts): void => disjoint.of(said, own, into)
