import { AppError } from '@svc-server/errors'
import type { CommittedOffset } from '@svc-server/log'

/**
 * Throws `log_unavailable` if the log returns a commit that is older than the newest commit that the merger knows (F47). If the merger
 * continued from the older commit, it would repeat work whose results are already in the local state.
 */
export function refuseOlder(
  { topic, partition }: { readonly topic: string; readonly partition: number },
  known: number | undefined,
  found: CommittedOffset | undefined,
): void {
  if (known === undefined || (found !== undefined && found.offset >= known)) return
  const is = found?.offset ?? 'nothing'
  throw new AppError('log_unavailable', `${topic}/${partition} is reported as committed at ${is}, but was committed at ${known} before.`)
}
