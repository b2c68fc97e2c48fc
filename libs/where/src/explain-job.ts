// What the thread that explains a span is given.
import type { RequestFacts } from '@svc-server/observations/block/explain'
import type { CatalogueContent } from '@svc-server/pricing/snapshot'

export interface ExplainJob {
  /** A request of one span, protobuf. */
  readonly payload: Uint8Array
  readonly facts: RequestFacts
  readonly brandAliases: readonly string[]
  readonly catalogue: CatalogueContent
  readonly maxDecodedBytes: number
}
