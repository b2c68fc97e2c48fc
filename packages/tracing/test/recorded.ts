import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { configureGlobalLogger, LogLevel } from '@svc/core'
import { SvcSpanProcessor } from '@svc/otel'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { setSvcTracerProvider } from '../src/index.ts'

export const exporter = new InMemorySpanExporter()
export const provider = () => new BasicTracerProvider({ spanProcessors: [new SvcSpanProcessor({ exporter, exportMode: 'immediate' })] })

export function recordObservations(): void {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    configureGlobalLogger({ level: LogLevel.WARN })
  })
  beforeEach(() => {
    exporter.reset()
    setSvcTracerProvider(provider())
  })
  afterEach(() => {
    vi.restoreAllMocks()
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

/** Returns the attributes of a span, without the attribute that marks an application root. */
export function attributesOf(span: ReadableSpan) {
  const { 'svc.internal.is_app_root': _, ...others } = span.attributes
  return others
}

export const failing = () => {
  throw new Error('broken')
}
