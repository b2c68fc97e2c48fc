/** Resolves when the promise has settled, and at the latest after the given time. */
export function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds)
    function settle(): void {
      clearTimeout(timer)
      resolve()
    }
    promise.then(settle, settle)
  })
}
