// Tracks records whose write mode differs from the process's: records from before a switch, or from processes not yet switched.
// They are handled in their own mode; this module only reports them. Pure except for the injected clock.
import type { WriteMode } from './write-mode.ts'

export interface OtherModesOptions {
  readonly ownMode: WriteMode
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number
  /** Called for the first such record after a quiet period. */
  readonly onBegin: (mode: WriteMode) => void
  /** Called when a quiet period begins. */
  readonly onEnd: (mode: WriteMode, records: number) => void
}

export interface OtherModes {
  /** Returns how many records are of another mode. Null marks records without a mode, which count as the process's own. */
  seen(mode: WriteMode | null, records: number): number
  /** Must be called periodically. */
  check(): void
}

/** Longer than any pause between two records while a consumer works off a backlog. */
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
