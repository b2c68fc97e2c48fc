// Fields that every client record takes from its request.
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface Accepted {
  readonly projectId: string
  /** Public key of the credential with which the client sent the request. */
  readonly apiKey: string
  /** "unknown" when the request did not name its SDK. */
  readonly sdkName: string
  readonly sdkVersion: string
  /** Write mode of the process that accepted the record. Readers use their own mode if the record's mode is null or absent. */
  readonly writeMode?: WriteMode | null
  readonly receivedAtMs: number
  readonly ingestId: string
}
