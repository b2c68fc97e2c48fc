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
  /** The range of times that can be stored. An insert with a time that is a month outside this range could be refused. */
  readonly window: TimeWindow
  /** Present if the SDK is too old for this mode: a sentence for refusals that names the version to upgrade to. */
  readonly upgrade?: string | undefined
}
