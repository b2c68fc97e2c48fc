/** Returns the quantile of a list, such as p99 for a share of 0.99. The list can be unsorted. Returns NaN for an empty list. */
export const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN
