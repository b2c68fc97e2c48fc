// What every record says of the request that it came with.
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Accepted } from '@svc-server/schema/accepted'

export interface Acceptance extends Accepted {
  readonly writeMode: WriteMode
}
