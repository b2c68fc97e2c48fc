import type { RequestFacts } from '@svc-server/observations/block/explain'
import type { CatalogContent } from '@svc-server/pricing/snapshot'

export interface ExplainJob {
  /** One span, as protobuf. */
  readonly payload: Uint8Array
  readonly facts: RequestFacts
  readonly brandAliases: readonly string[]
  readonly catalog: CatalogContent
  readonly maxDecodedBytes: number
}
