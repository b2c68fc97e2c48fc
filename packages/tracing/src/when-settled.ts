const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

const pass = (): void => {}

/**
 * If `result` can be awaited, calls `onResult` or `onError` after it has settled. If not, calls `onResult` immediately. Some thenables
 * start their work at each call of `then`, so a thenable is awaited once.
 */
export function whenSettled<R>(result: R, onResult: (value: unknown) => void, onError: (error: unknown) => void = pass): R {
  if (!isThenable(result)) {
    onResult(result)
    return result
  }
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
