// Remembers recent deletions, so that the owner of each partition can remove the deleted data from the partition's state.
import type { Denied } from '@svc-server/deletions/denials'

export interface DeletedTraces {
  add(denied: Denied): void
  /**
   * Reads deletions, starting at position `from`. Returns the deletions that arrived before `beforeMs` (monotonic clock), and the next
   * position.
   */
  read(from: number, beforeMs: number, limit: number): { readonly deleted: readonly Denied[]; readonly next: number }
}

interface Heard {
  readonly denied: Denied
  readonly atMs: number
}

/**
 * The list keeps each deletion for `keptMs`. The propagator's state keeps each trace for the same length of time. For each
 * trace in a partition's state, a new owner of the partition therefore finds every deletion that concerns the trace.
 */
export function createDeletedTraces({
  monotonicNow,
  keptMs,
}: {
  readonly monotonicNow: () => number
  readonly keptMs: number
}): DeletedTraces {
  let heard: Heard[] = []
  let first = 0

  function forget(nowMs: number): void {
    const old = heard.findIndex(({ atMs }) => nowMs - atMs <= keptMs)
    const gone = old < 0 ? heard.length : old
    // Expired entries are removed in large groups, because each removal copies all remaining entries.
    if (gone < 1_000 && gone < heard.length) return
    heard = heard.slice(gone)
    first += gone
  }

  return {
    add(denied) {
      const atMs = monotonicNow()
      forget(atMs)
      heard.push({ denied, atMs })
    },
    read(from, beforeMs, limit) {
      const start = Math.max(from, first)
      const some = heard.slice(start - first, start - first + limit)
      const end = some.findIndex(({ atMs }) => atMs >= beforeMs)
      const due = end < 0 ? some : some.slice(0, end)
      return { deleted: due.map(({ denied }) => denied), next: start + due.length }
    },
  }
}
