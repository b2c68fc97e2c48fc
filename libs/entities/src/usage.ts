// `usageDetails` and `costDetails` override `usage` (contract §14.4).
import { countOfJson, setCount } from '@svc-server/observations/counts'
import { isJsonObject, type JsonObject, numberText } from '@svc-server/observations/json-text'
import { readUsage } from '@svc-server/observations/json-usage'
import { compareText } from '@svc-server/observations/trace/text-order'
import { Amounts, plus, type Units } from '@svc-server/pricing/amounts'
import { atScale, moneyScale, moneyText, parseDecimal, storableMoney } from '@svc-server/pricing/money'

interface Sides<T> {
  readonly input: T
  readonly output: T
  readonly total: T
}

const counts: Sides<string> = { input: 'input', output: 'output', total: 'total' }
const costs: Sides<string> = { input: 'inputCost', output: 'outputCost', total: 'totalCost' }
/** OpenAI's names for token counts. An object with these names contains no costs. */
const tokens: Sides<string> = { input: 'promptTokens', output: 'completionTokens', total: 'totalTokens' }
const sides = ['input', 'output', 'total'] as const

const isOpenAi = (usage: JsonObject): boolean => sides.some(side => usage[tokens[side]] != null)

/** Returns the usage as JSON text, or undefined if usage is missing or empty. */
export function usageOf(body: JsonObject): string | undefined {
  const usage = isJsonObject(body['usage']) ? body['usage'] : undefined
  const details = isJsonObject(body['usageDetails']) ? body['usageDetails'] : undefined
  const amounts = new Amounts()
  if (usage !== undefined) addSides(usage, isOpenAi(usage) ? tokens : counts, countOfJson, details === undefined, amounts)
  if (details !== undefined) overlay(details, amounts)
  return textOfAmounts(amounts, units => String(units))
}

/** In USD, as decimal texts. Undefined without costs. */
export function costOf(body: JsonObject): string | undefined {
  const usage = isJsonObject(body['usage']) ? body['usage'] : undefined
  const details = isJsonObject(body['costDetails']) ? body['costDetails'] : undefined
  const amounts = new Amounts()
  if (usage !== undefined && !isOpenAi(usage)) addSides(usage, costs, moneyOfJson, details === undefined, amounts)
  for (const [name, value] of Object.entries(details ?? {})) {
    const units = moneyOfJson(value)
    if (units !== undefined) setCount(amounts, name, units)
  }
  return textOfAmounts(amounts, moneyText)
}

/** Adds input, output and total to `into`. If `sums` is true, the sum of input and output replaces a missing total. */
function addSides(
  usage: JsonObject,
  names: Sides<string>,
  read: (value: unknown) => Units | undefined,
  sums: boolean,
  into: Amounts,
): void {
  for (const side of sides) {
    const units = usage[names[side]] == null ? undefined : read(usage[names[side]])
    if (units !== undefined) into.add(side, units)
  }
  const [input, output] = [into.indexOf('input'), into.indexOf('output')]
  if (sums && input >= 0 && output >= 0 && into.indexOf('total') < 0) into.add('total', plus(into.units[input]!, into.units[output]!))
}

function overlay(details: JsonObject, into: Amounts): void {
  const read = new Amounts()
  readUsage(details, read)
  for (let i = 0; i < read.length; i++) setCount(into, read.keys[i]!, read.units[i]!)
}

/** Returns undefined for a value that is not a nonnegative number. */
export function moneyOfJson(value: unknown): Units | undefined {
  const decimal = parseDecimal(typeof value === 'string' ? value : (numberText(value) ?? ''))
  if (decimal === undefined || decimal.units < 0n) return undefined
  const units = atScale(decimal, moneyScale)
  return storableMoney(units <= Number.MAX_SAFE_INTEGER ? Number(units) : units, () => {})
}

/** Returns the amounts as JSON text. The text does not depend on the order of the names. */
function textOfAmounts({ length, keys, units }: Amounts, write: (units: Units) => string): string | undefined {
  if (length === 0) return undefined
  const pairs = keys.slice(0, length).map((key, i) => [key, write(units[i]!)] as const)
  return JSON.stringify(pairs.sort(([a], [b]) => compareText(a, b)))
}
