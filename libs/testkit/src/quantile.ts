/** A share of 0.99 gives p99. The list need not be sorted. Returns NaN for an empty list. */
export const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN
