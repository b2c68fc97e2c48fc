// The data about a request that each of its records carries.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { TimeWindow } from '@svc-server/otlp/time-window'
import type { Accepted } from '@svc-server/schema/accepted'

export interface Acceptance extends Accepted {
  readonly writeMode: WriteMode
}

/** Plain values, because they are sent to worker threads. */
export interface Terms {
  readonly acceptance: Acceptance
  /** The client authenticated with the public key alone and may send only scores. */
  readonly scoresOnly: boolean
  /** Times that can be stored; a time a month outside could stop an insert. */
  readonly window: TimeWindow
  /** For an SDK that is too old for this mode: a sentence for refusals that names the version to upgrade to. */
  readonly upgrade?: string | undefined
}
