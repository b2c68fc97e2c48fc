// The trace view's requests.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError, basePath, call, type ResultOf } from '../api/client.ts'
import { noteFreshness } from '../api/freshness.ts'
import { oldText } from '../text/old.ts'
import { traceText } from '../text/trace.ts'
import { startWorker } from '../trusted/policy.ts'
import type { TraceModel } from './model/model.ts'
import type { TreeRequest, TreeResponse } from './trace.worker.ts'
import workerUrl from './trace.worker.ts?worker&url'

export interface TraceRef {
  readonly project: string
  readonly trace: string
  /** With `public`, the trace is read without sign-in. With `old`, it is read from the tables of v3. */
  readonly from: 'project' | 'public' | 'old'
}

export type TextField = 'input' | 'output' | 'metadata' | 'expectedOutput'

function pathOf({ project, trace, from }: TraceRef, open: readonly string[]): string {
  const [projectId, traceId] = [encodeURIComponent(project), encodeURIComponent(trace)]
  if (from === 'old') return `projects/${projectId}/traces/${traceId}?fields=core,observations,metrics`
  const opened = open.map((id, at) => `${at === 0 ? '?' : '&'}open=${encodeURIComponent(id)}`).join('')
  return `${from === 'public' ? 'public-traces' : 'projects'}/${projectId}${from === 'public' ? '' : '/traces'}/${traceId}/tree${opened}`
}

function readTree(ref: TraceRef, open: readonly string[], signal: AbortSignal): Promise<TraceModel> {
  const worker = startWorker(workerUrl)
  const url = new URL(`${basePath}api/ui/${pathOf(ref, open)}`, location.href).href
  return new Promise<TraceModel>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    worker.onerror = event => reject(new Error(event.message))
    worker.onmessage = ({ data }: MessageEvent<TreeResponse>) => {
      if (!('model' in data)) return reject(new ApiError(data.status, data.message, data.requestId))
      noteFreshness(data.completeUntil)
      resolve(data.model)
    }
    worker.postMessage({ url, notHere: traceText.notHere, isOld: ref.from === 'old' } satisfies TreeRequest)
  }).finally(() => worker.terminate())
}

/** Of a very large trace, the server sends only some rows. It chooses the rows with ids in `open`, their ancestors and children first. */
export const treeQuery = (ref: TraceRef, open: readonly string[] = []) =>
  queryOptions({
    queryKey: ['trace', ref.project, ref.trace, ref.from, 'tree', ...(open.length === 0 ? [] : [open])],
    queryFn: ({ signal }) => readTree(ref, open, signal),
    staleTime: 60_000,
    // A model of 100,000 rows is large, so the cache drops it soon.
    gcTime: 30_000,
    structuralSharing: false,
  })

export const observationQuery = (ref: TraceRef, observationId: string) =>
  queryOptions({
    queryKey: ['trace', ref.project, ref.trace, ref.from, 'observation', observationId],
    async queryFn({ signal }) {
      if (ref.from === 'old') return (await import('./old/old-detail.ts')).readOldObservation(ref, observationId, signal)
      const params = { projectId: ref.project, traceId: ref.trace, observationId }
      return ref.from === 'public'
        ? call('webTraces.getPublicObservation', { params, signal })
        : call('webTraces.getObservation', { params, signal })
    },
    staleTime: 60_000,
    structuralSharing: false,
  })

export type Detail = ResultOf<'webTraces.getObservation'>

export function prefetchObservation(queries: QueryClient, ref: TraceRef, observationId: string): void {
  void queries.prefetchQuery(observationQuery(ref, observationId))
}

export async function searchContents(ref: TraceRef, text: string, signal: AbortSignal) {
  const params = { projectId: ref.project, traceId: ref.trace }
  const query = { text }
  if (ref.from === 'old') throw new Error(oldText.noSearch)
  return ref.from === 'public'
    ? call('webTraces.searchPublic', { params, query, signal })
    : call('webTraces.search', { params, query, signal })
}

const sliceCharacters = 1_048_576

/** Reads a text slice by slice, and restarts if the row changes before the last slice. */
export async function readText(ref: TraceRef, observationId: string, field: TextField, signal: AbortSignal): Promise<string> {
  const params = { projectId: ref.project, traceId: ref.trace, observationId, field }
  const pieces: string[] = []
  let version: string | undefined
  for (let offset: number | null = 0; offset !== null; ) {
    const query: { offset: number; limit: number } = { offset, limit: sliceCharacters }
    const options = { params, query, signal }
    const slice = await (ref.from === 'public' ? call('webTraces.getPublicText', options) : call('webTraces.getText', options))
    if (version !== undefined && slice.rowVersion !== version) {
      pieces.length = 0
      version = undefined
      offset = 0
      continue
    }
    version = slice.rowVersion
    pieces.push(slice.text)
    offset = slice.next
  }
  return pieces.join('')
}

export function setFlags(ref: TraceRef, flags: { readonly bookmarked?: boolean; readonly public?: boolean }) {
  return call('webTraces.update', { params: { projectId: ref.project, traceId: ref.trace }, body: flags })
}
