// The URL contains `trace:observation` for each marked row, separated by commas.
import { rowKey } from './rows.ts'

export interface Marked {
  readonly traceId: string
  readonly id: string
}

/** Maximum number of marks. The marks are in the page's address, and browsers and proxies only accept addresses of a few kilobytes. */
export const mostMarks = 60

const written = ({ traceId, id }: Marked): string => `${encodeURIComponent(traceId)}:${encodeURIComponent(id)}`

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function readMarks(text: string | undefined): readonly Marked[] {
  return (text ?? '').split(',').flatMap(each => {
    const [traceId = '', id = ''] = each.split(':')
    return traceId === '' || id === '' ? [] : [{ traceId: decoded(traceId), id: decoded(id) }]
  })
}

export const writeMarks = (marks: readonly Marked[]): string | undefined => (marks.length === 0 ? undefined : marks.map(written).join(','))

/** Returns undefined if the maximum number of marks is reached. The URL contains the marks. */
export function toggleMark(marks: readonly Marked[], row: Marked): readonly Marked[] | undefined {
  const without = marks.filter(each => rowKey(each) !== rowKey(row))
  if (without.length < marks.length) return without
  return marks.length >= mostMarks ? undefined : [...marks, { traceId: row.traceId, id: row.id }]
}

export const canCompare = (marked: readonly Marked[]): boolean => marked.length === 2 && marked[0]?.traceId !== marked[1]?.traceId
