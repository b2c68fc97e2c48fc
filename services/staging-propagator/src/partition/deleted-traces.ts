// Remembers recent deletions, so that the owner of a partition can delete the traces from its state.
import type { Denied } from '@svc-server/deletions/denials'

export interface DeletedTraces {
  add(denied: Denied): void
  /** Starts at position `from`. Returns the deletions that arrived before `beforeMs` (monotonic clock), and the next position. */
  read(from: number, beforeMs: number, limit: number): { readonly deleted: readonly Denied[]; readonly next: number }
}

interface Heard {
  readonly denied: Denied
  readonly atMs: number
}

/**
 * A deletion is remembered for `keptMs`, which is the time for which the state keeps a trace. A new owner therefore finds every deletion of
 * its traces.
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
    // Entries are removed in large groups, because each removal copies the rest.
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
