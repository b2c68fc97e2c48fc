// What every record of clients says of the request that it came with.
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface Accepted {
  readonly projectId: string
  /** Public key of the credential that sent it. */
  readonly apiKey: string
  /** "unknown" where the request did not say. */
  readonly sdkName: string
  readonly sdkVersion: string
  /** Of the process that accepted it; null or absent: the mode of whoever reads it. */
  readonly writeMode?: WriteMode | null
  readonly receivedAtMs: number
  readonly ingestId: string
}
