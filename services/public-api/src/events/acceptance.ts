// What every record carries about the request that brought it.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { TimeWindow } from '@svc-server/otlp/time-window'
import type { Accepted } from '@svc-server/schema/accepted'

export interface Acceptance extends Accepted {
  readonly writeMode: WriteMode
}

/** Plain values: they go to threads. */
export interface Terms {
  readonly acceptance: Acceptance
  /** A public key alone may send scores. */
  readonly scoresOnly: boolean
  /** Times within it are stored; a month beyond them could stop an insert. */
  readonly window: TimeWindow
  /** What an SDK that is too old for this mode should be replaced by; a sentence for its refusals. */
  readonly upgrade?: string | undefined
}
