// Reports records whose write mode differs from the process's mode. Such records were accepted before a switch of the mode, or by processes
// that have not been switched yet. A service handles each record in the record's own mode.
import type { WriteMode } from './write-mode.ts'

export interface OtherModesOptions {
  readonly ownMode: WriteMode
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number
  /** Called for the first record of a mode other than the process's mode, and again for the first such record after `onEnd`. */
  readonly onBegin: (mode: WriteMode) => void
  /** Called when no record of this mode has arrived for a minute. `records` counts the records since `onBegin`. */
  readonly onEnd: (mode: WriteMode, records: number) => void
}

export interface OtherModes {
  /**
   * Returns how many of the records have a different mode than the process. Records without a mode (null) count as records of the process's
   * mode.
   */
  seen(mode: WriteMode | null, records: number): number
  /** Calls `onEnd` for each mode of which no record has arrived for a minute. Call `check` periodically. */
  check(): void
}

/** `onEnd` is called after this time without a record. A consumer with a backlog never pauses this long between two records. */
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
