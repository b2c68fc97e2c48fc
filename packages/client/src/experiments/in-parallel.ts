/** Makes at most `limit` calls at a time. Results are in the order of the values. */
export async function inParallel<T, R>(values: readonly T[], limit: number, work: (value: T, at: number) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(values.length)
  const rest = values.entries()
  async function lane(): Promise<void> {
    for (const [at, value] of rest) results[at] = await work(value, at)
  }
  const lanes = Math.max(1, Math.min(Math.trunc(limit) || 1, values.length))
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
