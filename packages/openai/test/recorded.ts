import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { SvcSpanProcessor } from '@svc/otel'
import { setSvcTracerProvider } from '@svc/tracing'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'

const exporter = new InMemorySpanExporter()

export function recordObservations(): void {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  })
  beforeEach(() => {
    exporter.reset()
    setSvcTracerProvider(new BasicTracerProvider({ spanProcessors: [new SvcSpanProcessor({ exporter, exportMode: 'immediate' })] }))
  })
  afterAll(() => {
    setSvcTracerProvider(null)
    context.disable()
  })
}

export const ended = (): ReadableSpan[] => exporter.getFinishedSpans()

export function only(): ReadableSpan {
  expect(ended()).toHaveLength(1)
  return ended()[0]!
}

const decode = (value: unknown): unknown => {
  try {
    return JSON.parse(value as string)
  } catch {
    return value
  }
}

/** Returns an attribute of the span. If the attribute is a JSON text, returns its decoded value. */
export function observed(span: ReadableSpan, name: string): unknown {
  return decode(span.attributes[`svc.observation.${name}`])
}
