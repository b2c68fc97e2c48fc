// Reads the cost that an instrumentation reports for a call: a total, or several parts.
import type { Amounts, Units } from '@svc-server/pricing/amounts'
import { cellOf, parentOf, usageCells } from '@svc-server/pricing/usage-cells'
import { readUsageName } from '@svc-server/pricing/usage-name'
import { exactInt, valueKind } from '../span-view/any-value.ts'
import { isJsonObject, type JsonObject, numberText, parseJson } from '../span-view/json-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import { type AmountsRule, moneyUnits } from './amounts-rule.ts'
import { attributeText, isOpening, mayHoldMembers } from './attribute-text.ts'
import { jsonAttribute } from './json-attribute.ts'

/** Matches `currency`, and names that also mention money, such as `gen_ai.usage.cost_currency`, `llm.cost.currency` and `cost_currency`. */
export const currencyKey =
  /^(?!svc\.)(?:(?=.*(?:cost|price|spend|billing|usage))(?:.*[._])?currency(?:[._]?code)?|currency(?:[._]?code)?)$/i
const bareCurrency = /^currency/i
const usDollars = /^\s*(?:us[ _-]?)?(?:\$|d|dollars?)?\s*$/i

/** Returns the currency if it is not US dollars. Keys that begin with `currency` are considered only if `bare` is true. */
export function foreignCurrency(span: SpanView, bare: boolean): string | undefined {
  const { attributes } = span
  if ((attributes.seenFlags & keyFlag.currency) === 0) return undefined
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((attributes.flags[entry]! & keyFlag.currency) === 0 || attributes.kinds[entry] !== valueKind.text) continue
    if (!bare && bareCurrency.test(attributes.table.nameOf(attributes.keys[entry]!))) continue
    const currency = attributeText(span, entry)
    if (!usDollars.test(currency)) return currency
  }
  return undefined
}

/** True for a span that calls a model. On any other span, an attribute such as `cost` can be the cost of something else. */
export const isModelCall = ({ type }: SpanView): boolean => type === 'GENERATION' || type === 'EMBEDDING'

const total = cellOf('total')
/** The rank of a key that matches only a pattern. Every key with a known prefix has a smaller rank. */
const patternRank = 0xffff
const bareRank = patternRank + 1

interface Amount {
  readonly cell: number
  readonly isDetail: boolean
  readonly isUpstream: boolean
  readonly rank: number
  readonly units: Units
}

/**
 * The amounts of one span. If several keys report the same part, the key whose prefix has the smallest rank wins. If several amounts of the
 * part come from keys with this rank, the largest amount wins.
 */
class SaidMoney {
  readonly #found = new Map<number, Amount>()
  /**
   * True while all found amounts are amounts that a router paid to the provider. Such amounts are used only if the span has no other
   * amounts.
   */
  #isUpstream = true

  clear(): void {
    if (this.#found.size > 0) this.#found.clear()
    this.#isUpstream = true
  }

  say(amount: Amount): void {
    if (amount.isUpstream && !this.#isUpstream) return
    if (!amount.isUpstream && this.#isUpstream) {
      this.clear()
      this.#isUpstream = false
    }
    const key = amount.cell * 2 + (amount.isDetail ? 1 : 0)
    const before = this.#found.get(key)
    if (before !== undefined && (before.rank < amount.rank || (before.rank === amount.rank && before.units >= amount.units))) return
    this.#found.set(key, amount)
  }

  /** Writes the amounts. Omits an amount for a detail if the span also reports the total, or an amount that includes the detail. */
  write(into: Amounts): boolean {
    if (this.#found.size === 0) return false
    into.clear()
    const isSaid = (cell: number): boolean => this.#found.has(cell * 2)
    for (let cell = 0; cell < usageCells.length; cell++) {
      const amount = this.#found.get(cell * 2) ?? this.#found.get(cell * 2 + 1)
      if (amount === undefined) continue
      if (amount.isDetail && (isSaid(total) || this.#isInside(cell, isSaid))) continue
      into.add(nameOf(cell), amount.units)
    }
    return into.length > 0
  }

  #isInside(cell: number, isSaid: (cell: number) => boolean): boolean {
    for (let name = parentOf(usageCells[cell]!); name !== undefined; name = parentOf(name)) if (isSaid(cellOf(name))) return true
    return false
  }
}

const uncached = cellOf('input_uncached')
const nameOf = (cell: number): string => (cell === uncached ? 'input' : usageCells[cell]!)

const money = new SaidMoney()

/** Reads costs from all attributes whose names contain a word for money, such as `cost`. */
export const saidMoney: AmountsRule = {
  name: 'money that is said',
  read(span, into) {
    const { attributes } = span
    if ((attributes.seenFlags & keyFlag.money) === 0) return false
    const { keys, flags, table } = attributes
    money.clear()
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      if ((flags[entry]! & keyFlag.money) === 0 || !attributes.isSet(entry)) continue
      const isBare = (flags[entry]! & keyFlag.bareMoney) !== 0
      if (isBare && !isModelCall(span)) continue
      if (foreignCurrency(span, isBare) !== undefined) {
        span.leaveOut(entry)
        continue
      }
      const { cell, isDetail, isUpstream } = table.usageName(keys[entry]!)
      const rank = isBare ? bareRank : table.prefixRank(keys[entry]!) || patternRank
      const object = objectOf(span, entry)
      if (object !== undefined && sayMembers(span, entry, object, { named: true, rank })) {
        if (span.explanation !== null) span.explanation.used(span, entry)
        continue
      }
      const units = cell < 0 ? undefined : moneyUnits(span, entry, textOf(span, entry))
      // Some routers report an unknown cost as -1.
      if (units === undefined || units < 0) {
        if (cell < 0) span.leaveOut(entry)
        else span.lose('unfit_value', entry)
        continue
      }
      if (span.explanation !== null) span.explanation.used(span, entry)
      money.say({ cell, isDetail, isUpstream, rank, units })
    }
    return money.write(into)
  },
}

/** The usage is one value: `gen_ai.usage` = `{"prompt_tokens": 5, "cost": 0.1}`. */
export const moneyInUsage: AmountsRule = {
  name: 'money in the usage',
  read(span, into) {
    const { attributes } = span
    if ((attributes.seenFlags & keyFlag.usage) === 0) return false
    for (let entry = span.ownFrom; entry < attributes.length; entry++) {
      if ((attributes.flags[entry]! & (keyFlag.usage | keyFlag.money)) !== keyFlag.usage || !mayHoldMembers(span, entry)) continue
      const usage = jsonAttribute(span, entry)
      if (!isJsonObject(usage)) continue
      // A foreign currency applies to the whole span, so the span's other usage objects contain no US dollars either.
      if (foreignCurrency(span, true) !== undefined) return false
      if (!moneyIn(span, entry, usage, into)) continue
      if (span.explanation !== null) span.explanation.used(span, entry)
      return true
    }
    return false
  },
}

function textOf(span: SpanView, entry: number): string {
  const value = span.attributes.value(entry)
  if (value.kind === valueKind.int) return exactInt(span.source.bytes, value)
  if (value.kind === valueKind.double) return String(value.number)
  return attributeText(span, entry)
}

/**
 * Reads amounts of money from the members of a JSON object. If `named` is true, every member counts as money, even if its name does not
 * mention money.
 */
export function moneyIn(span: SpanView, entry: number, object: JsonObject, into: Amounts, named = false): boolean {
  money.clear()
  sayMembers(span, entry, object, { named, rank: 0 })
  return money.write(into)
}

const memberCurrency = /^(?:cost_?)?currency(?:_?code)?$/i

interface MembersOptions {
  readonly named: boolean
  readonly rank: number
}

/** Returns false if no member is an amount. */
function sayMembers(span: SpanView, entry: number, object: JsonObject, { named, rank }: MembersOptions): boolean {
  let found = false
  if (Object.entries(object).some(([name, value]) => memberCurrency.test(name) && typeof value === 'string' && !usDollars.test(value)))
    return false
  for (const [name, value] of Object.entries(object)) {
    const { kind, cell, isDetail, isUpstream } = readUsageName(named ? `cost.${name}` : name)
    const text = typeof value === 'string' ? value : numberText(value)
    // `cost` = `{"total_cost": 0.5}`.
    if (kind === 'money' && !named && text === undefined && isJsonObject(value)) {
      found = sayMembers(span, entry, value, { named: true, rank }) || found
      continue
    }
    if (kind !== 'money' || cell < 0 || text === undefined) continue
    const units = moneyUnits(span, entry, text)
    if (units === undefined || units < 0) continue
    money.say({ cell, isDetail, isUpstream, rank, units })
    found = true
  }
  return found
}

/** Returns the object if one attribute contains all amounts, as JSON text or as a map: `gen_ai.usage.cost` = `{"total": 0.5}`. */
function objectOf(span: SpanView, entry: number): JsonObject | undefined {
  const { attributes } = span
  if (attributes.kinds[entry] !== valueKind.map && !isOpening(span, entry)) return undefined
  const object = parseJson(attributeText(span, entry))
  return isJsonObject(object) ? object : undefined
}
