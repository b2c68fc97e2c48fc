// Fields that every client record takes from its request.
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface Accepted {
  readonly projectId: string
  /** Public key of the sending credential. */
  readonly apiKey: string
  /** "unknown" when the request did not name its SDK. */
  readonly sdkName: string
  readonly sdkVersion: string
  /** Write mode of the process that accepted the record. If it is null or absent, the reader's own mode applies. */
  readonly writeMode?: WriteMode | null
  readonly receivedAtMs: number
  readonly ingestId: string
}
