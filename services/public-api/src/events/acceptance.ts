// Facts that apply to all items of a request. Every record that the API writes for the request contains the facts in `acceptance`.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { TimeWindow } from '@svc-server/otlp/time-window'
import type { Accepted } from '@svc-server/schema/accepted'

export interface Acceptance extends Accepted {
  readonly writeMode: WriteMode
}

/** All of these values can be sent to worker threads. */
export interface Terms {
  readonly acceptance: Acceptance
  /** True if the client sent only the public key. Then only scores are accepted. */
  readonly scoresOnly: boolean
  /**
   * The range of times that requests can contain. The server must check the range, because the column store limits the number of months
   * in one insert.
   */
  readonly window: TimeWindow
  /** Names the version to upgrade to. Present only if the write mode does not accept the SDK. */
  readonly upgrade?: string | undefined
}
