// Input of the thread that explains a span.
import type { RequestFacts } from '@svc-server/observations/block/explain'
import type { CatalogContent } from '@svc-server/pricing/snapshot'

export interface ExplainJob {
  /** A request with one span, as protobuf. */
  readonly payload: Uint8Array
  readonly facts: RequestFacts
  readonly brandAliases: readonly string[]
  readonly catalog: CatalogContent
  readonly maxDecodedBytes: number
}
