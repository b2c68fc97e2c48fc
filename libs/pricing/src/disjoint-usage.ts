// Makes a span's counts disjoint: each token counts in one key, and the keys add up to the total. The count of the input or of the output
// can be divided in several ways, for example by modality or by cache. The model's prices decide which division a row shows.
import { type Amounts, minus, plus, type Units } from './amounts.ts'
import { cacheBeside, findBeside, reasoningBeside, type SaidUnits, toolBeside } from './beside-usage.ts'
import type { SaidUsage } from './said-usage.ts'
import { cell, cellOf, cellsOfModalities, maxUsage, unexplained, usageCells } from './usage-cells.ts'

/**
 * Some counts of a usage are parts of a larger count. Each set bit marks a cell: a part whose price differs from the price of the larger
 * count, or the cell `input` or `output` if it has a listed price. Null for an unknown model, and for a model without such prices.
 */
export type OwnPrices = number | null

const inputModalities = cellsOfModalities('input')
const cachedModalities = cellsOfModalities('input_cached')
const outputModalities = cellsOfModalities('output')

/** Position of the lowest set bit. */
const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits)

const bitsOf = (cells: readonly number[]): number => cells.reduce((bits, each) => bits | (1 << each), 0)
const wholesAlone = bitsOf([cell.input, cell.output, cell.total])
const bothBits = bitsOf(cachedModalities)
const textBits = bitsOf([inputModalities[0]!, cachedModalities[0]!, outputModalities[0]!])
const lifetimeBits = bitsOf([cell.written5m, cell.written1h])

/** The order in which parts are subtracted from their whole: specific parts come before general ones. */
const cacheParts = [...cachedModalities, cell.written5m, cell.written1h, cell.written, cell.cached]
const inputParts = [...cacheParts, ...inputModalities, cell.tool]
const outputParts = [...outputModalities, cell.reasoning, cell.accepted, cell.rejected]
const bothWholes = bitsOf([cell.input, cell.output])
/**
 * Maps the cell of the whole input to the cell of the input's text tokens, and the cell of the whole output to the cell of the output's
 * text tokens. If a client reports the text tokens of the input but not the whole input, the result has the text tokens in the
 * key `input`. The same applies to the output.
 */
const textOf = { [cell.input]: cellOf('input_text_tokens'), [cell.output]: cellOf('output_text_tokens') }
const partBits = { [cell.input]: bitsOf(inputParts), [cell.output]: bitsOf(outputParts) }

/** There is one instance, which is reset for every span. */
class Disjoint implements SaidUnits {
  readonly units: Units[] = usageCells.map(() => 0)
  cells = 0
  cacheIsBeside = false
  #own: OwnPrices = null
  /** For each cell, the count that the cell's key gets in the result. `#taken` has a bit for each cell that is in the result. */
  readonly #keys: Units[] = usageCells.map(() => 0)
  #taken = 0
  /** Tokens of the current side (input or output) that no key includes yet. */
  #pool: Units = 0

  of(said: SaidUsage, own: OwnPrices, into: Amounts): void {
    into.clear()
    if (said.cells === 0) return
    this.cells = said.cells
    if ((said.cells & ~wholesAlone) === 0 && (said.cells & bothWholes) === bothWholes) {
      this.#writeWholes(said, into)
      return
    }
    this.#own = own
    this.#taken = 0
    // Clears the cells of the previous span.
    for (let i = 0; i < this.units.length; i++) this.units[i] = 0
    this.cacheIsBeside = said.cacheIsBeside
    for (let bits = said.cells; bits !== 0; bits &= bits - 1) this.units[lowest(bits)] = said.units[lowest(bits)]!
    const beside = (said.cells & ~wholesAlone) === 0 && (said.cells & (1 << cell.total)) === 0 ? 0 : this.#findBeside()
    this.#side(cell.input, inputParts, beside)
    this.#side(cell.output, outputParts, beside)
    this.#write(into)
  }

  /** Handles the usual case: input and output without parts. */
  #writeWholes({ units }: SaidUsage, into: Amounts): void {
    const sum = plus(units[cell.input]!, units[cell.output]!)
    into.add('input', units[cell.input]!)
    into.add('output', units[cell.output]!)
    if ((this.cells & (1 << cell.total)) === 0 || sum > maxUsage) return
    const total = units[cell.total]!
    const isMore = total > sum
    into.add('total', isMore ? total : sum)
    if (isMore) into.add(unexplained, minus(total, sum))
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

  /**
   * If cached tokens have their own price, one key contains the cached tokens of all modalities. The method then subtracts the cached
   * tokens of each modality from the count of this modality. The cached tokens of one modality (such as audio) can also have their own
   * price. The method does not subtract the cached tokens of such a modality: `#take` subtracts them when it gives them their own key.
   */
  #separateCached(): void {
    const own = this.#own
    if (own === null || (own & (1 << cell.cached)) === 0) return
    for (let i = 0; i < cachedModalities.length; i++) {
      const both = cachedModalities[i]!
      if ((own & (1 << both)) === 0) this.#outOf(inputModalities[i]!, this.units[both]!)
    }
  }

  #side(whole: keyof typeof partBits, parts: readonly number[], beside: number): void {
    this.#pool = this.units[whole]!
    const hasWhole =
      (this.cells & (1 << whole)) !== 0 || this.#pool > 0 || (whole === cell.input && (this.cells & (1 << cell.uncached)) !== 0)
    // The first round gives keys to the parts that have their own price, and the second round gives keys to the other parts. If no part
    // has its own price (as for an unknown model), there is only one round. If the span reports cached tokens of any modality (such as
    // audio), the rounds also include the count of all cached tokens (`cell.cached`). If the span reports no such count, or a smaller one,
    // this count is the sum of the cached modalities.
    const present = (this.cells | ((this.cells & bothBits) === 0 ? 0 : 1 << cell.cached)) & partBits[whole]!
    const rounds = present === 0 ? 0 : this.#own === null ? 1 : 2
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < parts.length; i++) {
        const part = parts[i]!
        if ((present & (1 << part)) === 0 || !this.#isAsked(part, round === 0)) continue
        if (isBeside(part, beside) || !hasWhole) this.#putBeside(part)
        else this.#take(part)
      }
    }
    if (hasWhole) this.#put(whole, this.#pool)
    else if ((this.cells & textBits & partBits[whole]!) !== 0) this.#put(whole, this.units[textOf[whole]!]!)
  }

  /**
   * True if the part has no key yet, and the current round must give it one. `own` is true in the first round: this round is for the parts
   * with their own price, or for all parts if no part has its own price.
   */
  #isAsked(part: number, own: boolean): boolean {
    const bit = 1 << part
    if ((this.#taken & bit) !== 0 || ((this.cells & bit) === 0 && this.units[part] === 0)) return false
    if (this.#own === null) return own && (textBits & bit) === 0
    if ((this.#own & bit) !== 0) return own
    // Here, the part does not have its own price. If it counts text tokens, or the cached tokens of one modality (such as audio), it gets
    // no key, because the key of a larger count already includes these tokens.
    return !own && ((textBits | bothBits) & bit) === 0
  }

  #putBeside(part: number): void {
    const units = this.units[part]!
    if ((bothBits & (1 << part)) !== 0) this.#outOf(cell.cached, units)
    this.#put(part, units)
  }

  /** Subtracts the part from its whole if the whole has enough tokens left. */
  #take(part: number): void {
    const units = this.units[part]!
    const isBoth = (bothBits & (1 << part)) !== 0
    if (units <= this.#pool) {
      // A modality's cached tokens are part of two counts: the count of all cached tokens, and the count of the modality's tokens. The
      // modality's cached tokens are subtracted from both counts.
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
   * Handles a modality (`part`) with more tokens than `#pool` (the remaining input tokens). The key of the modality gets all remaining
   * input tokens. The method treats the modality's other tokens (the excess) as cached tokens, which the key of all cached tokens already
   * includes. The method moves the excess from this key to a key for the modality's cached tokens, if two conditions hold. First, the
   * modality's cached tokens have no key yet. Second, they have their own price, or `#own` (OwnPrices) is null. The method changes nothing
   * if the excess is larger than the count in the key of all cached tokens, or if `part` is not a modality of the input.
   */
  #takeOverlapping(part: number, units: Units): void {
    const place = inputModalities.indexOf(part)
    const cached = (this.#taken & (1 << cell.cached)) === 0 ? 0 : this.#keys[cell.cached]!
    const more = minus(units, this.#pool)
    if (place < 0 || cached < more) return
    const both = cachedModalities[place]!
    if ((this.#own === null || (this.#own & (1 << both)) !== 0) && (this.#taken & (1 << both)) === 0) {
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

  /** Writes the keys and the total. A reported total is used unless the sum of the keys' counts is larger. */
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
 * Writes the usage to `into`, under keys that do not overlap. If a total was reported, also writes the key `total`. The caller must
 * leave out counts that do not fit into a UInt64.
 */
export const disjointUsage = (said: SaidUsage, own: OwnPrices, into: Amounts): void => disjoint.of(said, own, into)
