import type { DenyList } from '@svc-server/deletions/deny-list'
import { isAppError } from '@svc-server/errors'
import type { Envelope } from '@svc-server/stream/envelope'
import { defer, emit, type StageResult } from '@svc-server/stream/stage'

const retryAfterMs = 1_000

/** Defers the chunk while the deletion commands cannot be read. */
export function createKnownStage({ refuseWhenStale }: Pick<DenyList, 'refuseWhenStale'>) {
  return function known(record: Envelope<Uint8Array>): StageResult<Uint8Array> {
    try {
      refuseWhenStale()
      return emit(record)
    } catch (error) {
      if (isAppError(error)) return defer(retryAfterMs, error)
      throw error
    }
  }
}
