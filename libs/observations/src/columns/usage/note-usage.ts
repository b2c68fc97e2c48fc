// Adds notes for `svc explain`. A note tells why a usage key or a cost has its value, or why an attribute that looks like usage was not
// used.
import type { Enrichment } from '@svc-server/pricing/enrich'
import { parentOf, usageCells } from '@svc-server/pricing/usage-cells'
import { foreignCurrency, isModelCall } from '../../rules/said-money.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { keyFlag, usageFlags } from '../../span-view/vocabulary.ts'
import type { PricedSpan } from './priced-span.ts'

export function noteUsage(span: SpanView, facts: PricedSpan, priced: Enrichment): void {
  const { explanation } = span
  if (explanation === null) return
  for (const name of priced.usage.keys.slice(0, priced.usage.length)) {
    explanation.notes.push({ about: 'usage', name, why: originOf(span, facts, priced, name) })
  }
  const paid = explanation.findings.get('cost_details')?.attributes.join(', ')
  for (const name of priced.costs.keys.slice(0, priced.costs.length)) {
    const why =
      facts.providedCosts.length === 0
        ? priceOf(priced, name)
        : facts.providedCosts.indexOf(name) >= 0
          ? `reported: ${paid}`
          : 'sum of the reported costs'
    explanation.notes.push({ about: 'cost', name, why })
  }
  noteLeft(span, facts, priced)
}

function originOf(span: SpanView, { said, usage }: PricedSpan, priced: Enrichment, name: string): string {
  if (priced.isEstimated) return 'estimated: counted by the tokenizer in the texts'
  if (said === null) return usage.indexOf(name) >= 0 ? 'reported by the client’s own code' : 'sum of all keys'
  const cell = usageCells.indexOf(name)
  if (cell >= 0 && said.has(cell)) {
    const source = said.sources[cell]!
    const attribute = source < 0 ? 'the rule itself' : keyOf(span, source)
    const place = usage.indexOf(name)
    if (place >= 0 && usage.units[place] !== said.units[cell])
      return `${attribute} (${said.units[cell]}), without the parts that have separate keys`
    return attribute
  }
  if (name === 'total') return 'sum of all keys'
  if (name === 'other') return 'part of the reported total that no reported key explains'
  return parentOf(name) === undefined ? 'the rest of the reported total' : 'the common part of two breakdowns, or the rest of one'
}

function priceOf({ tier, modelId }: Enrichment, name: string): string {
  if (tier === null) return 'no price'
  const of = `tier ${tier.name} of ${modelId}`
  if (tier.prices.has(name)) return `price of ${name}, ${of}`
  if (name === 'total') return 'sum of the costs'
  return `price of ${parentOf(name) ?? 'the same key under a different name'}, because the key itself has no price, ${of}`
}

const keyOf = ({ attributes }: SpanView, entry: number): string => attributes.table.nameOf(attributes.keys[entry]!)

const reasons = {
  setting: 'a limit, a ratio or a different setting, not a count',
  other: 'an unknown name, so not a count',
} as const

function noteLeft(span: SpanView, { said, usage, providedCosts }: PricedSpan, { usage: shown }: Enrichment): void {
  const { attributes } = span
  for (let entry = span.ownFrom; entry < attributes.length; entry++) {
    if ((attributes.flags[entry]! & usageFlags) === 0) continue
    const { kind, cell } = attributes.table.usageName(attributes.keys[entry]!)
    const why =
      kind === 'count'
        ? whyNotShown(said, usage.length + shown.length, cell, entry, shown.indexOf(usageCells[cell]!) >= 0)
        : kind === 'money'
          ? whyNotPaid(span, entry, providedCosts.length, cell)
          : reasons[kind]
    if (why !== undefined) span.explanation?.notes.push({ about: 'left', name: keyOf(span, entry), why })
  }
}

function whyNotShown(said: PricedSpan['said'], counted: number, cell: number, entry: number, isKey: boolean): string | undefined {
  if (said === null) return counted > 0 ? 'the client’s own code reports the usage' : 'not the usage of this span'
  if (!said.has(cell)) return 'not a whole number of tokens'
  if (said.sources[cell] !== entry) return `${usageCells[cell]} is reported by a different attribute, with at least the same count`
  if (isKey || usageCells[cell] === 'input_uncached') return undefined
  return `part of ${parentOf(usageCells[cell]!) ?? 'it'} that has no separate price, or does not fit beside the other parts`
}

function whyNotPaid(span: SpanView, entry: number, paid: number, cell: number): string | undefined {
  const isBare = (span.attributes.flags[entry]! & keyFlag.bareMoney) !== 0
  if (isBare && !isModelCall(span)) return 'money of a span that calls no model'
  const currency = foreignCurrency(span, isBare)
  if (currency !== undefined) return `money in ${currency.slice(0, 16)}: only US dollars are counted`
  if (cell < 0) return 'money for an unknown purpose'
  return paid === 0 ? 'not an amount of US dollars' : undefined
}
