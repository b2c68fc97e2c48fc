// Records of spans, events, scores and run items have these fields, which describe the client's request and the process that accepted it.
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface Accepted {
  readonly projectId: string
  /** Public key of the client's credential. */
  readonly apiKey: string
  /** "unknown" when the request names no SDK. */
  readonly sdkName: string
  readonly sdkVersion: string
  /** Write mode of the accepting process. If the mode is null or absent, readers use their own mode. */
  readonly writeMode?: WriteMode | null
  readonly receivedAtMs: number
  readonly ingestId: string
}
