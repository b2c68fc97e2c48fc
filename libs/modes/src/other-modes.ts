// Records of another write mode than a process's own: what is left of a switch, or what processes that are
// still to be switched accept. They are served as they were accepted; this only says so. Pure but for the
// clock that it is given.
import type { WriteMode } from './write-mode.ts'

export interface OtherModesOptions {
  readonly ownMode: WriteMode
  /** Milliseconds from any start. */
  readonly now: () => number
  /** The first of them since none have come for a while. */
  readonly onBegin: (mode: WriteMode) => void
  /** None have come for a while. */
  readonly onEnd: (mode: WriteMode, records: number) => void
}

export interface OtherModes {
  /**
   * Answers how many of them are of another mode. Null: a record does not say, and is of the process's own.
   */
  seen(mode: WriteMode | null, records: number): number
  /** To be called from time to time. */
  check(): void
}

/** Longer than any backlog pauses between two records while it is worked off. */
const quietMs = 60_000

export function createOtherModes({ ownMode, now, onBegin, onEnd }: OtherModesOptions): OtherModes {
  const open = new Map<WriteMode, { records: number; lastMs: number }>()
  return {
    seen(mode, records) {
      if (mode === null || mode === ownMode || records === 0) return 0
      const known = open.get(mode)
      if (known === undefined) onBegin(mode)
      open.set(mode, { records: (known?.records ?? 0) + records, lastMs: now() })
      return records
    },
    check() {
      for (const [mode, { records, lastMs }] of open) {
        if (now() - lastMs < quietMs) continue
        open.delete(mode)
        onEnd(mode, records)
      }
    },
  }
}
