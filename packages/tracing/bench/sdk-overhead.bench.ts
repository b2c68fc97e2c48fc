// Measures the CPU time per span in three SDKs: this SDK, the published v5, and OpenTelemetry alone with the same attributes. The SDKs take
// turns in one process. Their exporter drops all spans. The bench also measures the time to import the SDK. Options: --spans N (per
// measurement), --turns N (measurements of each SDK).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { context, type Tracer, type TracerProvider, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { SvcSpanProcessor } from '@svc/otel'
import * as publishedOtel from 'published-v5-otel'
import * as publishedTracing from 'published-v5-tracing'
import { createObservationAttributes, setSvcTracerProvider, startActiveObservation } from '../src/index.ts'

const root = resolve(import.meta.dirname, '../../..')
const { values } = parseArgs({ options: { spans: { type: 'string', default: '20000' }, turns: { type: 'string', default: '9' } } })
const [spans, turns] = [Number(values.spans), Number(values.turns)]

class DroppingExporter implements SpanExporter {
  export(_: unknown, callback: (result: ExportResult) => void): void {
    callback({ code: ExportResultCode.SUCCESS })
  }
  async shutdown(): Promise<void> {}
}

interface Updatable {
  update(attributes: object): unknown
}
type Start = (name: string, fn: (observation: Updatable) => unknown, options: { asType: 'generation' }) => unknown
type ProcessorClass = new (params: { exporter: SpanExporter }) => SpanProcessor

/**
 * Returns the export whose name matches `pattern`. The names of the exports contain the brand of v5. This code must not contain that brand,
 * so `pattern` matches only the rest of the name.
 */
function exported<T>(module: object, pattern: RegExp): T {
  const found = Object.entries(module).find(([name]) => pattern.test(name))
  if (!found) throw new Error(`The published v5 exports nothing that matches ${pattern}.`)
  return found[1] as T
}

const attributes = {
  input: [{ role: 'user', content: 'What does a span cost?' }],
  output: { role: 'assistant', content: 'A few microseconds of one processor.' },
  model: 'model-1',
  modelParameters: { temperature: 0.2, maxTokens: 400 },
  usageDetails: { input: 12, output: 30, total: 42 },
  metadata: { feature: 'bench', attempt: 1, nested: { deep: true } },
}

interface Variant {
  readonly name: string
  readonly processor: SpanProcessor
  one(): void
}

function observations(name: string, start: Start, processor: SpanProcessor, use: (provider: TracerProvider) => void): Variant {
  use(new BasicTracerProvider({ spanProcessors: [processor] }))
  return { name, processor, one: () => start('answer', observation => observation.update(attributes), { asType: 'generation' }) }
}

function bare(): Variant {
  const processor = new BatchSpanProcessor(new DroppingExporter())
  const tracer: Tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('bare')
  function one(): void {
    const span = tracer.startSpan('answer')
    context.with(trace.setSpan(context.active(), span), () => span.setAttributes(createObservationAttributes('generation', attributes)))
    span.end()
  }
  return { name: 'OpenTelemetry', processor, one }
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const Published = exported<ProcessorClass>(publishedOtel, /SpanProcessor$/)
const variants: readonly Variant[] = [
  observations('v6', startActiveObservation as Start, new SvcSpanProcessor({ exporter: new DroppingExporter() }), setSvcTracerProvider),
  observations(
    'published v5',
    publishedTracing.startActiveObservation as unknown as Start,
    new Published({ exporter: new DroppingExporter() }),
    exported(publishedTracing, /^set\w+TracerProvider$/),
  ),
  bare(),
]

/**
 * Number of spans per tick of the event loop. These spans fit into the queue of a batch processor. A span that the queue drops would take
 * no CPU time, so the result would be too low.
 */
const spansOfATick = 500

async function microsecondsOf({ one, processor }: Variant): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < spans; at++) {
    one()
    if (at % spansOfATick === spansOfATick - 1) await new Promise(resolve => setImmediate(resolve))
  }
  await processor.forceFlush()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / spans
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!

async function overhead(): Promise<Record<string, number>> {
  const times = new Map<string, number[]>(variants.map(({ name }) => [name, []]))
  for (let turn = 0; turn <= turns; turn++) {
    for (const variant of variants) {
      const microseconds = await microsecondsOf(variant)
      if (turn > 0) times.get(variant.name)!.push(microseconds)
    }
  }
  return Object.fromEntries([...times].map(([name, each]) => [name, median(each)]))
}

/** Installs the packages as an application does, but without a registry. Returns the folder. */
function installed(): string {
  execFileSync(process.execPath, [join(root, 'tools/sdk/pack.ts')], { stdio: 'ignore' })
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
  const link = (name: string, target: string): void => {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(target, join(folder, 'node_modules', name))
  }
  for (const name of ['core', 'otel', 'tracing']) {
    const target = join(folder, 'node_modules/@svc', name)
    mkdirSync(target, { recursive: true })
    execFileSync('tar', ['xzf', join(root, `dist/packages/svc-${name}-6.0.0.tgz`), '--strip-components=1', '-C', target])
  }
  link('@opentelemetry', join(root, 'packages/otel/node_modules/@opentelemetry'))
  for (const name of ['published-v5-otel', 'published-v5-tracing']) link(name, join(root, 'packages/tracing/node_modules', name))
  return folder
}

/** Returns the CPU time to import the modules. The result does not include the start of the process. */
function importMs(folder: string, modules: readonly string[]): number {
  const imported = modules.map(name => `await import(${JSON.stringify(name)})`).join(';')
  const code = `const from = process.cpuUsage(); ${imported}; const { user, system } = process.cpuUsage(from); process.stdout.write(String((user + system) / 1000))`
  const args = ['--input-type=module', '-e', code]
  const once = (): number =>
    Number(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'] } }))
  return median(Array.from({ length: turns }, once))
}

function imports(): Record<string, number> {
  const folder = installed()
  try {
    return {
      'v6 tracing': importMs(folder, ['@svc/tracing']),
      'published v5 tracing': importMs(folder, ['published-v5-tracing']),
      'v6 tracing and otel': importMs(folder, ['@svc/tracing', '@svc/otel']),
      'published v5 tracing and otel': importMs(folder, ['published-v5-tracing', 'published-v5-otel']),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const microseconds = await overhead()
const milliseconds = imports()
const round = (number: number): number => Math.round(number * 100) / 100
const rounded = (numbers: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, round(number)]))
const ratio = round(microseconds['v6']! / microseconds['published v5']!)
process.stdout.write(`A span takes ${ratio} of the CPU time that it takes in the published v5.\n`)
const machine = { node: process.version, processors: cpus().length, model: cpus()[0]?.model }
process.stdout.write(
  `${JSON.stringify({ bench: 'sdk-overhead', machine, spans, turns, ratio, microsecondsOfASpan: rounded(microseconds), millisecondsOfAnImport: rounded(milliseconds) })}\n`,
)
