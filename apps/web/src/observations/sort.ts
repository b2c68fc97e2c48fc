// The sort order of the table, as in the URL: `latency`, or `-latency` for descending order.

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

/** A column cycles through three orders: descending, ascending, by time. */
export function nextSort(by: SortField, now: Sort | undefined): string | undefined {
  if (now?.by !== by) return `-${by}`
  return now.isAscending ? undefined : by
}
