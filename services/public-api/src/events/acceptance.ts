// The data about a request that each of its records carries.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { TimeWindow } from '@svc-server/otlp/time-window'
import type { Accepted } from '@svc-server/schema/accepted'

export interface Acceptance extends Accepted {
  readonly writeMode: WriteMode
}

/** It contains only values that can be sent to worker threads. */
export interface Terms {
  readonly acceptance: Acceptance
  /** The client authenticated with the public key alone and may send only scores. */
  readonly scoresOnly: boolean
  /** The range of times that can be stored. A time a month outside of it could stop an insert. */
  readonly window: TimeWindow
  /** For an SDK that is too old for this mode: a sentence for refusals that names the version to upgrade to. */
  readonly upgrade?: string | undefined
}
