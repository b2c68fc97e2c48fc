// Recent deletions that this process has seen. Owners of partitions delete those traces from their state.
import type { Denied } from '@svc-server/deletions/denials'

export interface DeletedTraces {
  add(denied: Denied): void
  /** From a place on, what was heard of before this moment, by the monotone clock, and the place behind it. */
  read(from: number, beforeMs: number, limit: number): { readonly deleted: readonly Denied[]; readonly next: number }
}

interface Heard {
  readonly denied: Denied
  readonly atMs: number
}

/** `keptMs`: as long as a trace is known, so that whoever becomes an owner finds all that may concern it. */
export function createDeletedTraces({
  monotonicNow,
  keptMs,
}: {
  readonly monotonicNow: () => number
  readonly keptMs: number
}): DeletedTraces {
  let heard: Heard[] = []
  /** Place of the first of them. */
  let first = 0

  function forget(nowMs: number): void {
    const old = heard.findIndex(({ atMs }) => nowMs - atMs <= keptMs)
    const gone = old < 0 ? heard.length : old
    // Not one by one: each costs what is left.
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
