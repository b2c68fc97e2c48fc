// Runs an action on many rows and reports its progress.
import { call } from '../api/client.ts'
import type { FilterCondition } from '../filter/condition.ts'
import type { TimeRange } from '../search/range.ts'
import type { Marked } from './marks.ts'

export type BulkAction =
  | { readonly kind: 'bookmark' | 'unbookmark' | 'delete' }
  | { readonly kind: 'score'; readonly name: string; readonly value: string }

export interface Progress {
  readonly done: number
  readonly all: number
  readonly failed: number
  readonly why: string
}

/** If a person chooses all rows that match the filter, the action applies to at most this number of rows. */
export const mostOfAJob = 2_000
const atOnce = 4
const pageRows = 200

/** Rows that match a filter and a time range, newest first. */
export async function matchingRows(
  project: string,
  conditions: readonly FilterCondition[],
  { fromMs, toMs, isRelative }: TimeRange,
  signal: AbortSignal,
): Promise<readonly Marked[]> {
  const found: Marked[] = []
  const query = {
    ...{ limit: pageRows, filter: JSON.stringify(conditions), fromStartTime: new Date(fromMs).toISOString() },
    toStartTime: isRelative ? undefined : new Date(toMs).toISOString(),
  }
  for (let cursor: string | undefined = ''; cursor !== undefined && found.length < mostOfAJob; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(cursor)
    for (const { traceId, id } of page.data) found.push({ traceId, id })
    cursor = page.meta.cursor ?? undefined
  }
  return found.slice(0, mostOfAJob)

  function readPage(cursor: string) {
    return call('webRows.list', { project, query: { ...query, cursor }, signal })
  }
}

export const tracesOf = (rows: readonly Marked[]): readonly string[] => [...new Set(rows.map(({ traceId }) => traceId))]

/** The requests of the job: one per row for a score, and one per trace for any other action. */
function stepsOf(project: string, action: BulkAction, rows: readonly Marked[]): readonly (() => Promise<unknown>)[] {
  if (action.kind === 'score') {
    const number = Number(action.value)
    const value = action.value.trim() === '' || Number.isNaN(number) ? action.value : number
    return rows.map(
      ({ traceId, id }) =>
        () =>
          call('scores.create', { project, body: { traceId, observationId: id, name: action.name, value } }),
    )
  }
  const traces = tracesOf(rows)
  if (action.kind === 'delete') return traces.map(traceId => () => call('trace.delete', { project, params: { traceId } }))
  const body = { bookmarked: action.kind === 'bookmark' }
  return traces.map(traceId => () => call('webTraces.update', { params: { projectId: project, traceId }, body }))
}

export async function runBulk(
  project: string,
  action: BulkAction,
  rows: readonly Marked[],
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: Progress) => void },
): Promise<void> {
  const steps = stepsOf(project, action, rows)
  let progress: Progress = { done: 0, all: steps.length, failed: 0, why: '' }
  onProgress(progress)
  const queue = steps[Symbol.iterator]()
  const work = async () => {
    for (const step of queue) {
      if (signal.aborted) return
      try {
        await step()
        progress = { ...progress, done: progress.done + 1 }
      } catch (error) {
        const why = progress.why || (error instanceof Error ? error.message : String(error))
        progress = { ...progress, failed: progress.failed + 1, why }
      }
      onProgress(progress)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
