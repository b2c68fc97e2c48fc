import { ProxyTracerProvider, type Tracer, type TracerProvider, trace } from '@opentelemetry/api'
import { getGlobalLogger, SVC_SDK_VERSION, SVC_TRACER_NAME } from '@svc/core'

interface State {
  isolatedTracerProvider: TracerProvider | null
}

/** Name of a global symbol. All copies of this package in a process share the state that is stored under this symbol. */
const slot = 'svc'

const stored = (): State | undefined => (globalThis as unknown as Record<symbol, State | undefined>)[Symbol.for(slot)]

function state(): State {
  const existing = stored()
  if (existing) return existing
  const created: State = { isolatedTracerProvider: null }
  try {
    Object.defineProperty(globalThis, Symbol.for(slot), { value: created, writable: false, enumerable: false, configurable: false })
  } catch (error) {
    getGlobalLogger().warn('The tracer provider is not set: this runtime allows no global state.', error)
  }
  return created
}

/**
 * From now on, this provider is used for observations instead of the global provider. With null, the global provider is used again. The
 * provider that creates an observation also processes and exports this observation. The parent of a new observation is still the active
 * span, even if that span belongs to a different provider.
 */
export function setSvcTracerProvider(provider: TracerProvider | null): void {
  state().isolatedTracerProvider = provider
}

/** Returns the separate provider, or else the global provider. */
export function getSvcTracerProvider(): TracerProvider {
  return stored()?.isolatedTracerProvider ?? trace.getTracerProvider()
}

/** If the provider fails, returns a tracer that records nothing. */
export function getSvcTracer(): Tracer {
  try {
    return getSvcTracerProvider().getTracer(SVC_TRACER_NAME, SVC_SDK_VERSION)
  } catch (error) {
    getGlobalLogger().error('Observations are not recorded: the tracer provider fails.', error)
    return new ProxyTracerProvider().getTracer(SVC_TRACER_NAME)
  }
}
