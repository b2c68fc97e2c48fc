// Reads the parent links between spans from the staged records, because the local state does not have these links.
import type { TraceWindow } from '@svc-server/schema/trace-window'
import type { SpanLink } from '../reading/messages.ts'
import type { OwnerDeps } from './deps.ts'
import { recordsAt } from './staged-records.ts'

/** A trace that belongs to dataset runs and has a pending repair, which publishes spans of the trace again. */
export interface PendingTrace {
  readonly traceKey: Buffer
  /** The windows of the trace, ascending by first offset. */
  readonly windows: readonly TraceWindow[]
}

/** Maps the offset of each record to the links of the record's spans. */
export type LinksAt = ReadonlyMap<number, readonly SpanLink[]>

/** Maximum number of records that the reading thread gets in one job. */
const recordsPerReading = 250
/**
 * Maximum staged bytes that are read for one trace. A read of a larger trace always stops at the same offset, and spans after this offset
 * get no run item.
 */
const maxLinkBytes = 64 << 20

type Deps = Pick<OwnerDeps, 'log' | 'partition' | 'config' | 'metrics' | 'readLinks'> & { readonly signal: AbortSignal }

/** The result is incomplete if the signal has aborted. */
export async function readLinks(deps: Deps, pending: readonly PendingTrace[]) {
  const { metrics, signal } = deps
  const links = new Map<number, readonly SpanLink[]>()
  const traceOf = new Map<number, PendingTrace>()
  for (const trace of pending) for (const { offsets } of trace.windows) for (const offset of offsets) traceOf.set(offset, trace)
  const offsets = [...traceOf.keys()].sort((a, b) => a - b)
  const bytesOf = new Map<PendingTrace, number>()
  const isCut = (offset: number) => (bytesOf.get(traceOf.get(offset)!) ?? 0) >= maxLinkBytes
  let readBytes = 0
  for (let from = 0; from < offsets.length && !signal.aborted; from += recordsPerReading) {
    const some = offsets.slice(from, from + recordsPerReading).filter(offset => !isCut(offset))
    const found: number[] = []
    const values: Uint8Array[] = []
    for await (const { offset, record } of recordsAt(deps, some)) {
      if (record === null || record.value === null || isCut(offset)) continue
      const trace = traceOf.get(offset)!
      const bytes = (bytesOf.get(trace) ?? 0) + record.value.byteLength
      bytesOf.set(trace, bytes)
      if (bytes >= maxLinkBytes) metrics.runItemCuts.inc({ what: 'links' })
      found.push(offset)
      values.push(record.value)
      readBytes += record.value.byteLength
    }
    const read = values.length === 0 ? [] : await deps.readLinks(values)
    for (const [index, offset] of found.entries()) links.set(offset, read[index]!)
  }
  return { links: links as LinksAt, readBytes }
}
