// Runs something and does something when it is over, however it is over.

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

/**
 * Calls `run`, then `onResult` with the result or `onError` with the error, and passes both on. What can be awaited is awaited first, once: some
 * begin their work each time that they are asked for a result.
 */
export function whenSettled<R>(run: () => R, onResult: (result: unknown) => void, onError: (error: unknown) => void): R {
  let result: R
  try {
    result = run()
  } catch (error) {
    onError(error)
    throw error
  }
  if (!isThenable(result)) {
    onResult(result)
    return result
  }
  const settled = result.then(
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
