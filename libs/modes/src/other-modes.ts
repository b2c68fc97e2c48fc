// Tracks records whose write mode differs from the process's mode. Records of a different mode were accepted before a switch of the mode,
// or by processes that have not been switched yet. Services handle every record in its own mode, and this module only reports
// records of a different mode. The module has no side effects, apart from reading the injected clock.
import type { WriteMode } from './write-mode.ts'

export interface OtherModesOptions {
  readonly ownMode: WriteMode
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number
  /** Called for the first record of a different mode after a quiet period. */
  readonly onBegin: (mode: WriteMode) => void
  /** Called when a quiet period begins. */
  readonly onEnd: (mode: WriteMode, records: number) => void
}

export interface OtherModes {
  /**
   * Counts records of one mode, and returns how many of them have a different mode than the process. Records without a mode (null) count as
   * records of the process's mode.
   */
  seen(mode: WriteMode | null, records: number): number
  /** Call this periodically to detect the beginning of a quiet period. */
  check(): void
}

/** A consumer with a backlog never pauses this long between two records. */
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
