// Wraps a function: each call is an observation with its arguments as input and its result as output.
import { writeAttributes } from './attributes.ts'
import { startActiveObservation } from './start.ts'
import type { ObserveOptions, SvcObservationAttributes } from './types.ts'
import { whenSettled } from './when-settled.ts'

function inputOf(given: readonly unknown[]): unknown {
  return given.length > 1 ? given : given[0]
}

/** Returns a function of the same type. What it throws is recorded and thrown again. */
export function observe<F extends (...given: never[]) => unknown>(fn: F, options: ObserveOptions = {}): F {
  const { captureInput = true, captureOutput = true, asType, parentSpanContext, endOnExit = true } = options
  const name = options.name ?? (fn.name || 'anonymous-function')

  function observed(this: unknown, ...given: Parameters<F>): unknown {
    return startActiveObservation(
      name,
      observation => {
        // Without the type: the function may have given its observation another one.
        const update = (attributes: SvcObservationAttributes): void => writeAttributes(observation.otelSpan, undefined, attributes)
        if (captureInput) update({ input: inputOf(given) })
        return whenSettled(
          () => fn.apply(this, given),
          output => {
            if (captureOutput) update({ output })
          },
          error =>
            update({
              level: 'ERROR',
              statusMessage: (error instanceof Error && error.message) || 'Function threw an error',
              ...(captureOutput && { output: { error: String(error) } }),
            }),
        )
      },
      { asType, parentSpanContext, endOnExit },
    )
  }
  return observed as F
}
