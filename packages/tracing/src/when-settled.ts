// Does something when a result is there, at once or later.

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

const pass = (): void => {}

/**
 * Calls `onResult` or `onError` when the result has settled, and passes it on. What can be awaited is awaited once: some things begin their work
 * each time that they are asked for a result.
 */
export function whenSettled<R>(result: R, onResult: (value: unknown) => void, onError: (error: unknown) => void = pass): R {
  if (!isThenable(result)) {
    onResult(result)
    return result
  }
  // A promise of another kind may return nothing from its own `then`.
  const promise = result instanceof Promise ? result : new Promise<unknown>((resolve, reject) => void result.then(resolve, reject))
  const settled = promise.then(
    value => {
      onResult(value)
      return value
    },
    (error: unknown) => {
      onError(error)
      throw error
    },
  )
  return settled as R
}
