/** The number of a sorted list at this share of its length, 0.99 for p99; NaN for an empty list. The numbers need no order. */
export const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN
