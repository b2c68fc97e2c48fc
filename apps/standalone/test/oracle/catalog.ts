// Creates a model and a prompt through the API. Computes the costs, the price tier and the prompt that the server must assign to a model
// call.
import type { Client, Row } from './client.ts'
import { pricedName, type Random } from './data.ts'

type Amounts = Readonly<Record<string, number>>
type Values = Readonly<Record<string, unknown>>

export interface Call {
  readonly model: string
  readonly modelParameters: Values
  readonly metadata: Values
  readonly usage: Amounts
  /** Costs that the client sends with the call. If the client sends no costs, the server computes them from the model's prices. */
  readonly cost: Amounts
}
interface Tier {
  readonly name: string
  readonly conditions: readonly object[]
  readonly holds: (call: Call) => boolean
  readonly prices: { readonly input: number; readonly output: number }
}
export interface Catalog {
  readonly model: { readonly id: string; readonly tiers: readonly (Tier & { readonly id: string })[] }
  readonly prompts: ReadonlyMap<number, string>
}

const round12 = (value: number) => Number(value.toFixed(12))
const sum = (values: readonly number[]) => round12(values.reduce((a, b) => a + b, 0))
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const tiersAt = (inputPrice: number): readonly Tier[] => [
  {
    name: 'long',
    conditions: [{ usageDetailPattern: '^INPUT', operator: 'gt', value: 250 }],
    holds: ({ usage }) => sum(Object.entries(usage).flatMap(([key, value]) => (/^input/i.test(key) ? [value] : []))) > 250,
    prices: { input: inputPrice * 2, output: 0.75 },
  },
  {
    name: 'fast text',
    conditions: [
      { source: 'model_parameters', key: 'service', operator: 'in', values: ['fast', 'faster'] },
      { source: 'metadata', key: 'k', operator: 'in', values: ['5', 'true', 'text fox'] },
    ],
    holds: ({ modelParameters, metadata }) =>
      modelParameters['service'] === 'fast' && isScalar(metadata['k']) && ['5', 'true', 'text fox'].includes(String(metadata['k'])),
    prices: { input: 0.125, output: 0 },
  },
  {
    name: 'fast',
    conditions: [{ source: 'model_parameters', key: 'service', operator: 'in', values: ['fast'] }],
    holds: ({ modelParameters }) => modelParameters['service'] === 'fast',
    prices: { input: 3, output: 1e-9 },
  },
  { name: 'usual', conditions: [], holds: () => true, prices: { input: inputPrice, output: 0.5 } },
]

export async function createCatalog(client: Client, inputPrice: number): Promise<Catalog> {
  const tiers = tiersAt(inputPrice)
  const model = await client.send('POST', '/models', {
    ...{ modelName: 'priced', matchPattern: `^${pricedName}$`, unit: 'TOKENS' },
    pricingTiers: tiers.map(({ name, conditions, prices }, at) => {
      const isDefault = conditions.length === 0
      return { name, conditions, prices, isDefault, priority: isDefault ? 0 : at + 1 }
    }),
  })
  const idOf = (name: string) => String((model['pricingTiers'] as readonly Row[]).find(tier => tier['name'] === name)!['id'])
  const prompts = new Map<number, string>()
  for (const text of ['Hi', 'Hello', 'Welcome']) {
    const { version, id } = await client.send('POST', '/v2/prompts', { name: 'greet', prompt: text })
    prompts.set(Number(version), String(id))
  }
  return { model: { id: String(model['id']), tiers: tiers.map(tier => ({ ...tier, id: idOf(tier.name) })) }, prompts }
}

/** Returns a random version of the prompt. Two of the versions do not exist on the server. */
export const randomPrompt = (random: Random) =>
  random.pick([
    { name: 'greet', version: 3 },
    { name: 'greet', version: 1 },
    { name: 'greet', version: 12 },
    { name: 'other', version: 3 },
  ])

export const promptIdOf = ({ prompts }: Catalog, name: string, version: number | undefined) =>
  name === 'greet' && version !== undefined ? prompts.get(version) : undefined

export const isPriced = ({ model }: Pick<Call, 'model'>) => model === pricedName
export const defaultPricesOf = ({ model: { tiers } }: Catalog) => tiers.at(-1)!.prices

/** Returns undefined if the call has no usage. */
export function tierOf(call: Call, { model }: Catalog) {
  if (!isPriced(call) || Object.keys(call.usage).length === 0) return undefined
  return model.tiers.find(({ holds }) => holds(call))
}

export function costOfCall(call: Call, catalog: Catalog): Record<string, number> {
  if (Object.keys(call.cost).length > 0) return 'total' in call.cost ? call.cost : { ...call.cost, total: sum(Object.values(call.cost)) }
  const tier = tierOf(call, catalog)
  if (tier === undefined) return {}
  const cost: Record<string, number> = {}
  for (const key of ['input', 'output'] as const) if (key in call.usage) cost[key] = round12(call.usage[key]! * tier.prices[key])
  const parts = Object.values(cost)
  return parts.length === 0 ? {} : { ...cost, total: sum(parts) }
}
