// The sort order of the table in the URL: `latency`, or `-latency` for the greatest first. If the parameter is missing, rows are sorted by
// time.

const sortFields = ['latency', 'cost', 'tokens', 'ttft'] as const
export type SortField = (typeof sortFields)[number]

export interface Sort {
  readonly by: SortField
  readonly isAscending: boolean
}

export const sortFieldOf = (column: string): SortField | undefined => sortFields.find(each => each === column)

export function readSort(text: string | undefined): Sort | undefined {
  const by = sortFieldOf(text?.replace(/^-/, '') ?? '')
  return by && { by, isAscending: text?.startsWith('-') === false }
}

/** Returns the order after the current one: greatest first is followed by least first, and least first by the order of time. */
export function nextSort(by: SortField, now: Sort | undefined): string | undefined {
  if (now?.by !== by) return `-${by}`
  return now.isAscending ? undefined : by
}
