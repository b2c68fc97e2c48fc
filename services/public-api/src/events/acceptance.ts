// What every record says of the request that it came with.
import type { WriteMode } from '@svc-server/modes/write-mode'

export interface Acceptance {
  readonly projectId: string
  /** Public key of the credential. */
  readonly apiKey: string
  readonly sdkName: string
  readonly sdkVersion: string
  readonly writeMode: WriteMode
  readonly receivedAtMs: number
  readonly ingestId: string
}
