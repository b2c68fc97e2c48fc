// Measures the time for determining the usage and cost of a span, and for counting tokens. Run: node libs/pricing/bench/pricing.bench.ts
// [rounds]
import { cpus } from 'node:os'
import { Amounts } from '../src/amounts.ts'
import { createCatalog } from '../src/catalog.ts'
import { createEnricher, type SpanFacts } from '../src/enrich.ts'
import { shippedModels } from '../src/shipped-models.ts'
import { catalogSnapshot } from '../src/snapshot.ts'
import { createTokenCounter } from '../src/token-counter.ts'

const rounds = Number(process.argv[2] ?? 9)
const calls = 50_000

const started = performance.now()
const snapshot = catalogSnapshot({ models: shippedModels(), prompts: [] })
const snapshotMs = performance.now() - started
const catalog = createCatalog(snapshot)
const compiledMs = performance.now() - started - snapshotMs
catalog.match('p', 'gpt-5', 0)
const firstMatchMs = performance.now() - started - snapshotMs - compiledMs

interface Case {
  readonly modelName: string
  readonly usage?: Readonly<Record<string, number>>
  readonly costs?: Readonly<Record<string, number>>
}

const tokens = { input: 1_830, input_cached_tokens: 12_000, output: 420, output_reasoning_tokens: 64 }
const cases: Readonly<Record<string, Case>> = {
  'nothing to do': { modelName: '' },
  'unknown model, no usage': { modelName: 'in-house-7b' },
  'one tier, 4 usage types': { modelName: 'claude-opus-4-5', usage: tokens },
  'context tier, 4 usage types': { modelName: 'gemini-2.5-pro', usage: tokens },
  'service and context tiers, 4 usage types': { modelName: 'gpt-6.1-sol', usage: tokens },
  'provided cost': { modelName: 'gpt-4o', usage: tokens, costs: { input: 500_000_000, output: 700_000_000 } },
}

const factsOf = ({ modelName, usage = {}, costs = {} }: Case): SpanFacts => {
  const filled = (entries: Readonly<Record<string, number>>) => {
    const amounts = new Amounts()
    for (const [key, units] of Object.entries(entries)) amounts.add(key, units)
    return amounts
  }
  return {
    projectId: 'p',
    modelName,
    startTimeUs: 0,
    isError: false,
    isCountable: true,
    usage: filled(usage),
    providedCosts: filled(costs),
    text: () => undefined,
    attribute: () => undefined,
  }
}

const { enrich } = createEnricher(catalog, createTokenCounter())
const work = new Map<string, () => void>()
for (const [name, given] of Object.entries(cases)) {
  const facts = factsOf(given)
  work.set(name, () => {
    for (let i = 0; i < calls; i++) enrich(facts)
  })
}
let fresh = 0
work.set('a new model name every time', () => {
  for (let i = 0; i < calls; i++) catalog.match('p', `tenant-${fresh++}`, 0)
})
// The catalog tries the maximum number of spellings of this name, and finds no model for any of them.
work.set('a new name with all that can stand around one', () => {
  for (let i = 0; i < calls; i++) catalog.match('p', `host/databricks-claude-4-5-t${fresh++}-high-customtools@20250929-v1:0:online`, 0)
})

const samples = new Map<string, number[]>([...work.keys()].map(name => [name, []]))
for (let round = -2; round < rounds; round++) {
  for (const [name, run] of work) {
    const before = process.threadCpuUsage()
    run()
    const used = process.threadCpuUsage(before)
    if (round >= 0) samples.get(name)!.push(((used.user + used.system) * 1000) / calls)
  }
}
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

const allocatedPerCall = (name: string): number => {
  const before = process.memoryUsage().heapUsed
  work.get(name)!()
  return Math.max(0, Math.round(((process.memoryUsage().heapUsed - before) / calls) * 10) / 10)
}

const counter = createTokenCounter({ maxCharacters: 1 << 20 })
const tokenizer = catalog.match('p', 'gpt-5', 0)!.tokenizer!
const loading = performance.now()
counter.count(tokenizer, 'hello')
const vocabularyMs = performance.now() - loading
// Text without spaces and repetitions is the worst case.
let seed = 1
const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
const noise = (first: number, kinds: number) => Array.from({ length: 1 << 20 }, () => String.fromCharCode(first + random(kinds))).join('')
const prose = 'The patient was stable overnight; naïve triage — 42 of 57 cases — was revised at 07:15. '.repeat(11_500)
const millisecondsOf = (text: string) => {
  const before = process.threadCpuUsage()
  counter.count(tokenizer, text)
  const used = process.threadCpuUsage(before)
  return Math.round((used.user + used.system) / 1000)
}

console.log(
  JSON.stringify(
    {
      machine: `${cpus()[0]?.model} x${cpus().length}, Node ${process.version}`,
      models: snapshot.models.length,
      snapshotMs: Math.round(snapshotMs),
      compiledMs: Math.round(compiledMs),
      firstMatchMs: Math.round(firstMatchMs),
      cpuNsPerSpan: Object.fromEntries([...samples].map(([name, values]) => [name, Math.round(median(values))])),
      bytesAllocatedPerSpan: Object.fromEntries(Object.keys(cases).map(name => [name, allocatedPerCall(name)])),
      tokens: {
        vocabularyMs: Math.round(vocabularyMs),
        cpuMsPerMillionCharacters: {
          prose: millisecondsOf(prose),
          randomLetters: millisecondsOf(noise(97, 26)),
          randomIdeographs: millisecondsOf(noise(0x4e00, 20_000)),
        },
      },
      aim: { cpuNsPerSpan: 1000 },
    },
    null,
    2,
  ),
)
