// A chunk passes through the stages decode → encode → insert → ledger. Then the runner commits the chunk's end together with its dead
// letters. One intent covers all destinations. After a failure, the intent stays open, and the chunk is processed again.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Ledger } from '@svc-server/conservation/ledger'
import type { DenyList } from '@svc-server/deletions/deny-list'
import type { EventLog } from '@svc-server/log'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import type { Rejection } from '@svc-server/stream/chunk'
import type { Pipeline, RunnerOptions } from '@svc-server/stream/runner'
import { pipe } from '@svc-server/stream/stage'
import { createDeliveries, type DeliveriesOptions } from './deliveries.ts'
import type { EncoderHost } from './encode/host.ts'
import type { Encoded } from './encoded.ts'
import type { writerMetrics } from './metrics.ts'
import type { OpenRecord } from './records.ts'
import { createDecodeStage } from './stages/decode.ts'
import { createEncodeStage } from './stages/encode.ts'
import { createInsertStage } from './stages/insert.ts'
import { createKeepStage } from './stages/keep.ts'
import { createKnownStage } from './stages/known.ts'
import { createLedgerStage } from './stages/ledger.ts'
import { createLimitStage, type Limits } from './stages/limit.ts'

export interface PipelineDeps extends DeliveriesOptions {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly encoder: EncoderHost
  readonly ledger: Ledger
  readonly denyList: Pick<DenyList, 'shared' | 'refuseWhenStale'>
  readonly group: string
  readonly limits: Limits
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

/** What the runner uses. */
export type WriterPipeline = Pick<RunnerOptions<OpenRecord>, 'stage' | 'weigh' | 'itemsOf' | 'ownerOf' | 'pipeline'>

export function createPipeline(deps: PipelineDeps): WriterPipeline {
  const deliveries = createDeliveries(deps)
  const encode = createEncodeStage(deps)
  const keep = createKeepStage(deps)
  const insert = createInsertStage(deps)
  const account = createLedgerStage(deps)

  const pipeline: Pipeline<OpenRecord> = {
    get versions() {
      return deliveries.versions()
    },
    async prepare(chunk, context) {
      // If the result of an earlier attempt is unknown, the writer first waits until the column store is reachable. The writer encodes the
      // chunk again only after this wait.
      if (context.inDoubt) await insert.reachable(context.backoff)
      // The deny list can have become stale while the decoded batch waited.
      deps.denyList.refuseWhenStale()
      const blocks: Encoded[] = []
      for (const delivery of deliveries.of(chunk, context)) blocks.push(await keep(await encode(delivery)))
      const rejected = eachOnce(blocks.flatMap(block => block.rejected))
      return {
        rejected,
        async store() {
          let refused: readonly Rejection[] = []
          for (const block of blocks) {
            const ofBlock = await insert.insert(block)
            await account(block, ofBlock)
            refused = [...refused, ...ofBlock]
          }
          return eachOnce(refused, rejected)
        },
      }
    },
  }

  return {
    stage: pipe(createKnownStage(deps.denyList), pipe(createDecodeStage(deps.destinationsOf), createLimitStage(deps.limits))),
    weigh: ({ rows, rowBytes, work }) => ({ rows, bytes: rowBytes, work }),
    itemsOf: ({ items }) => items,
    ownerOf: ({ projectId }) => projectId,
    pipeline,
  }
}

/**
 * Several destinations can reject the same item. Returns one rejection per item, so that the item becomes one dead letter. Omits the items
 * of `known`, which are already dead letters.
 */
function eachOnce(rejections: readonly Rejection[], known: readonly Rejection[] = []): readonly Rejection[] {
  const idOf = ({ offset, index }: Rejection) => `${offset}/${index}`
  const seen = new Set(known.map(idOf))
  return rejections.filter(rejection => {
    const id = idOf(rejection)
    return !seen.has(id) && seen.add(id) !== undefined
  })
}
