// Wraps a function so that each call becomes an observation with the arguments as input and the result as output.
import type { Span } from '@opentelemetry/api'
import { writeAttributes } from './attributes.ts'
import type { SvcObservation } from './observations.ts'
import { withActiveObservation } from './start.ts'
import type { ObserveOptions, SvcObservationAttributes } from './types.ts'
import { whenSettled } from './when-settled.ts'

function inputOf(given: readonly unknown[]): unknown {
  return given.length > 1 ? given : given[0]
}

/** Sets no type, because the observed function may have changed the observation's type. */
const record = (span: Span, attributes: SvcObservationAttributes): void => writeAttributes(span, undefined, attributes)

/** Returns a function with the same signature. Errors are recorded and then rethrown. */
export function observe<F extends (...given: never[]) => unknown>(fn: F, options: ObserveOptions = {}): F {
  const { captureInput = true, captureOutput = true } = options
  const name = options.name ?? (fn.name || 'anonymous-function')

  function onError(span: Span, error: unknown): void {
    const statusMessage = (error instanceof Error && error.message) || 'Function threw an error'
    record(span, { level: 'ERROR', statusMessage, ...(captureOutput && { output: { error: String(error) } }) })
  }

  function observed(this: unknown, ...given: Parameters<F>): unknown {
    const call = ({ otelSpan }: SvcObservation): unknown => {
      if (captureInput) record(otelSpan, { input: inputOf(given) })
      const result = fn.apply(this, given)
      return captureOutput ? whenSettled(result, output => record(otelSpan, { output })) : result
    }
    return withActiveObservation(name, call, options, onError)
  }
  return observed as F
}
