// Facts about a request that are written into each of its records.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { TimeWindow } from '@svc-server/otlp/time-window'
import type { Accepted } from '@svc-server/schema/accepted'

export interface Acceptance extends Accepted {
  readonly writeMode: WriteMode
}

/** The type contains only values that can be sent to worker threads. */
export interface Terms {
  readonly acceptance: Acceptance
  /** True if the client authenticated with the public key alone. A client without a secret key can send only scores. */
  readonly scoresOnly: boolean
  /**
   * The times that the column store can store. The column store could refuse an insert with a time more than a month outside this window.
   */
  readonly window: TimeWindow
  /** Sentence for refusals that names the version to upgrade to. Present only if the SDK is too old for the write mode. */
  readonly upgrade?: string | undefined
}
