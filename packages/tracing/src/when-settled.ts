// Runs a callback when a result is available: immediately, or after its promise has settled.

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

const pass = (): void => {}

/**
 * Calls `onResult` or `onError` after the result has settled, and returns the result. A thenable is awaited only once, because some
 * thenables start their work at each call of `then`.
 */
export function whenSettled<R>(result: R, onResult: (value: unknown) => void, onError: (error: unknown) => void = pass): R {
  if (!isThenable(result)) {
    onResult(result)
    return result
  }
  // `then` of a custom thenable can return nothing.
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
