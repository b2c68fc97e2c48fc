// The committed offset of a partition, and a check that this offset is not outdated.
import { AppError } from '@svc-server/errors'
import type { CommittedOffset } from '@svc-server/log'

/**
 * Throws `log_unavailable` for a response that is older than the known commit (F47). An owner that continued at an older offset would
 * repeat committed work, although its local state already contains the results.
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
